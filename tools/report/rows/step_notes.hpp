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

/// Null: nobody looked for steps of the trace, as it marks them, or the user wants none.
const FoundSteps* found_steps(const RowFilter& filter, const TraceReader& trace);

/// How many steps were found, by what, and how to capture some of them alone; or what repeats and
/// is no step. Empty: nothing repeats.
std::vector<std::string> found_steps_lines(const FoundSteps& found);

}  // namespace prof::reports
