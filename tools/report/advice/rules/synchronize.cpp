// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule synchronize: the GPU runs dry in calls that wait for it, and then waits for the next
// launches.
#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

std::vector<Advice> find_synchronize(const StepFacts& facts) {
  return idle_advice(facts, IdleCause::kSynchronize, "do not wait for the GPU",
                     "the host waited, then launched anew");
}

}  // namespace

void register_synchronize(Registry& registry) {
  registry.add({"synchronize", "calls that wait for the GPU in a step", find_synchronize});
}

}  // namespace prof::rules
