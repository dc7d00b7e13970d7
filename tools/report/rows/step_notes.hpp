// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of the notes about steps that no range marks.
#pragma once

#include <string>
#include <vector>

#include "analyzers/loops/find_steps.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::reports {

/// How many steps were found, by what, and how to capture some of them alone; or what repeats and
/// is no step. Empty: nothing repeats.
std::vector<std::string> found_steps_lines(const FoundSteps& found);

/// Steps of the trace were looked for, and there is no loop.
bool repeats_nothing(const RowFilter& filter, const TraceReader& trace);

}  // namespace prof::reports
