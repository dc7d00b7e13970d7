// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule compiling: the GPU waits in steady steps while kernels are compiled, tuned or loaded. What
// is compiled once, before the steps, costs a program nothing; here something changes in each step
// for which another kernel is made.
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Fewer have a compilation that is none of the step's.
constexpr double kCompilingSteps = 0.5;
constexpr Efficiency kCompilingLeft = {0.8, 1.0};

std::vector<Advice> find_compiling(const StepFacts& facts) {
  if (facts.idle_steps(IdleCause::kCompile) <= kCompilingSteps) return {};
  return idle_advice(facts, IdleCause::kCompile, "compile once, before the steps",
                     "kernels are compiled, tuned or loaded", kCompilingLeft);
}

}  // namespace

void register_compiling(Registry& registry) {
  registry.add({"compiling", "kernels that are compiled in each step", find_compiling});
}

}  // namespace prof::rules
