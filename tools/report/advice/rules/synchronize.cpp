// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule synchronize: the GPU runs dry in calls that wait for it, and then waits for the next
// launches. A host that needs longer than the GPU gains little without the wait: what GPU and host
// lose to each other is all that there is to gain.
#include <algorithm>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Part of the time that GPU and host lose to each other: the low end of the gain is at most that.
constexpr double kLeastOfApart = 0.5;

std::vector<Advice> find_synchronize(const StepFacts& facts) {
  std::vector<Advice> found = idle_advice(facts, IdleCause::kSynchronize, "do not wait for the GPU",
                                          "the host waited, then launched anew");
  for (Advice& advice : found) {
    Gain& gain = advice.gain;
    gain.most_ns = std::min(gain.most_ns, facts.apart_ns());
    gain.low_ns = std::min(gain.low_ns, kLeastOfApart * gain.most_ns);
    gain.high_ns = std::min(gain.high_ns, gain.most_ns);
  }
  return found;
}

}  // namespace

void register_synchronize(Registry& registry) {
  registry.add({"synchronize", "calls that wait for the GPU in a step", find_synchronize});
}

}  // namespace prof::rules
