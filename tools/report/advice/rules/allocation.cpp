// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule allocation: the GPU waits while the host allocates or frees memory.
#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

std::vector<Advice> find_allocation(const StepFacts& facts) {
  return idle_advice(facts, IdleCause::kAllocate, "allocate once, before the steps",
                     "the host allocates or frees memory");
}

}  // namespace

void register_allocation(Registry& registry) {
  registry.add({"allocation", "allocations in a step", find_allocation});
}

}  // namespace prof::rules
