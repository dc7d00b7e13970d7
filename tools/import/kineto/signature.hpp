// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The signature (docs/op_facts.md) of an op as Kineto records it. Pure.
#pragma once

#include <string>

#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

/// JSON. Arguments are left out if the profiler did not record shapes; that the event is an op all
/// the same is then stated apart.
std::string signature_of(const TraceEvent& op, bool is_backward);

}  // namespace prof::importers
