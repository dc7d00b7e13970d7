// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of the notes about steps that no range marks.
#pragma once

#include <string>
#include <vector>

#include "analyzers/loops/find_steps.hpp"

namespace prof::reports {

/// How many steps were found, by what, and how to capture some of them alone; or why there are
/// none.
std::vector<std::string> found_steps_lines(const FoundSteps& found);

}  // namespace prof::reports
