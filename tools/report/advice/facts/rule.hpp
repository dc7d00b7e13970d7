// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule: sees in the facts of a step what the program could do better. To add one: write
// rules/NAME.cpp and add its word to the list in CMakeLists.txt. Pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "tools/report/advice/facts/advice.hpp"
#include "tools/report/advice/facts/step_facts.hpp"

namespace prof::reports {

struct Rule {
  std::string_view name;
  std::string_view help;  ///< Its finding, in one line.
  std::vector<Advice> (*find)(const StepFacts& facts) = nullptr;
};

}  // namespace prof::reports
