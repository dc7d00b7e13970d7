// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A trace is attributed once, however many readers a run has.
#pragma once

#include <cstddef>

#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// So many traces are kept at once, those that were read last.
inline constexpr std::size_t kMostKept = 16;

/// The same work of any of so many traces. The first that reads a trace to its end has it
/// attributed, and keeps a log of it (analyzers/log); all that open it later read the log. Copies
/// share the logs. Threads may read different traces.
AttributeWork attribute_once(AttributeWork attribute, std::size_t traces);

}  // namespace prof::reports
