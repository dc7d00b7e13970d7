// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in driver's graphs, see cuda_graphs.cpp.
#pragma once

#include "standin.hpp"

namespace standin {

extern const GraphCalls kGraphCalls;

/// Whether the calling thread captures a graph.
bool is_capturing();

}  // namespace standin
