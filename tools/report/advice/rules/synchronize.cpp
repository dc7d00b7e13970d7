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

std::vector<Advice> find(const StepFacts& facts) {
  const double idle = facts.idle_ns(IdleCause::kSynchronize);
  if (idle <= 0) return {};
  Advice made;
  made.what = "do not wait for the GPU";
  made.evidence = in_ms(idle) + " ms idle: the host waited, then launched anew";
  made.gain = {0.6 * idle, 1.1 * idle};
  made.show = "-r gaps --where \"cause = 'synchronize'\"";
  return {made};
}

}  // namespace

void register_synchronize(Registry& registry) {
  registry.add({"synchronize", "calls that wait for the GPU in a step", find});
}

}  // namespace prof::rules
