// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/advice/advisor.hpp"

#include <algorithm>

#include "tools/report/advice/rules/registry.hpp"

namespace prof::reports {
namespace {

const rules::Registry& all_rules() {
  static const rules::Registry registry = [] {
    rules::Registry made;
    rules::register_builtin(made);
    return made;
  }();
  return registry;
}

double middle(const Gain& gain) { return (gain.low_ns + gain.high_ns) / 2; }

/// Around the same middle, but not wider than a factor of two.
Gain narrowed(const Gain& gain, double period_ns) {
  const double low = std::max(gain.low_ns, middle(gain) * 2 / 3);
  const double high = std::min(gain.high_ns, middle(gain) * 4 / 3);
  return {low, std::min(high, 0.95 * period_ns)};
}

}  // namespace

std::vector<Advice> advise(const StepFacts& facts) {
  std::vector<Advice> found;
  for (const Rule& rule : all_rules().all()) {
    for (Advice& advice : rule.find(facts)) {
      advice.rule = rule.name;
      advice.gain = narrowed(advice.gain, facts.period_ns);
      if (middle(advice.gain) < kLeastGain * facts.period_ns) continue;
      found.push_back(std::move(advice));
    }
  }
  std::ranges::stable_sort(found, std::greater{}, [](const Advice& a) { return middle(a.gain); });
  return found;
}

}  // namespace prof::reports
