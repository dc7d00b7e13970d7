// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All that the rules advise for a step, most gain first. Pure function.
#pragma once

#include <string>
#include <vector>

#include "tools/report/advice/facts/advice.hpp"
#include "tools/report/advice/facts/rule.hpp"
#include "tools/report/advice/facts/step_facts.hpp"

namespace prof::reports {

/// Less than that is not worth a change.
inline constexpr double kLeastGain = 0.01;  // of the period

/// In the order of the list in CMakeLists.txt.
const std::vector<Rule>& all_rules();

/// Advice whose gain is at least kLeastGain of the period, each known within a factor of two. The
/// gains do not add up: two pieces of advice may be about the same time. What is advised
/// without a gain comes last. Nothing without steps.
std::vector<Advice> advise(const StepFacts& facts);

/// Advice that would gain as much, but that something in the step rules out: "use CUDA graphs:
/// ruled out, as ...". In the order of the rules.
std::vector<std::string> ruled_out(const StepFacts& facts);

}  // namespace prof::reports
