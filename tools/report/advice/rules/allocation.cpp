// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule allocation: the GPU waits in most steps while the host allocates or frees memory.
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Part of the idle time that is gained: a capture makes such calls several times slower (measured
/// on empty_cache() in each step: 7.6 % of a step gained, 35 % idle while captured).
constexpr Efficiency kAllocationLeft = {0.15, 0.3};
/// Part of the steps that must allocate: a warm-up allocates in a few steps only.
constexpr double kAllocatingSteps = 0.5;

std::vector<Advice> find_allocation(const StepFacts& facts) {
  if (facts.idle_steps(IdleCause::kAllocate) <= kAllocatingSteps) return {};
  return idle_advice(facts, IdleCause::kAllocate, "allocate once, before the steps",
                     "the host allocates or frees memory", kAllocationLeft);
}

}  // namespace

void register_allocation(Registry& registry) {
  registry.add({"allocation", "allocations in a step", find_allocation});
}

}  // namespace prof::rules
