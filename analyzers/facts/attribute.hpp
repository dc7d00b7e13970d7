// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns facts into what reports show: layer, op, direction, shapes and cost. Pure.
#pragma once

#include "analyzers/facts/facts.hpp"
#include "analyzers/ops/knowledge.hpp"

namespace prof {

/// The attribution of work under a stack with these facts. `kernel_type` is the data type that the
/// kernel's name suggests, for ops whose texts state none; kUnknown: it suggests none.
OpAttribution attribute(const Facts& facts, DType kernel_type, const ops::Knowledge& ops);

}  // namespace prof
