// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule allocation: the GPU waits while the host allocates or frees memory.
#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

std::vector<Advice> find(const StepFacts& facts) {
  const double idle = facts.idle_ns(IdleCause::kAllocate);
  if (idle <= 0) return {};
  Advice made;
  made.what = "allocate once, before the steps";
  made.evidence = in_ms(idle) + " ms idle: the host allocates or frees memory";
  made.gain = {0.6 * idle, 1.1 * idle};
  made.show = "-r gaps --where \"cause = 'allocate'\"";
  return {made};
}

}  // namespace

void register_allocation(Registry& registry) {
  registry.add({"allocation", "allocations in a step", find});
}

}  // namespace prof::rules
