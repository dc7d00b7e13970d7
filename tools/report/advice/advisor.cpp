// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/advice/advisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/report/advice/rules/registry.hpp"

namespace prof::reports {
namespace {

double middle(const Gain& gain) { return (gain.low_ns + gain.high_ns) / 2; }

/// Around the same middle: not wider than a factor of two, nor narrower than a model can be right
/// (docs/advice.md, How right it is), and never more than there is.
Gain known_within(const Gain& gain, double period_ns) {
  const double mean = middle(gain);
  const double low = std::clamp(gain.low_ns, mean * 2 / 3, mean * 0.75);
  const double high = std::clamp(gain.high_ns, mean * 1.25, mean * 4 / 3);
  const double most = std::max(low, std::min(gain.most_ns, period_ns));
  return {low, std::min(high, most), most};
}

/// " --step 4": one of the steady steps, so that what is shown is what was seen in a step.
std::string step_to_show(const TypicalStep& step) {
  if (step.steps.empty()) return {};
  const auto middle =
      std::next(step.steps.begin(), static_cast<std::ptrdiff_t>(step.steps.size() / 2));
  return " --step " + std::to_string(middle->second);
}

}  // namespace

const std::vector<Rule>& all_rules() {
  static const rules::Registry registry = [] {
    rules::Registry made;
    rules::register_builtin(made);
    return made;
  }();
  return registry.all();
}

namespace {

/// Nothing without steps: what repeats nothing gains nothing again.
std::vector<Advice> worth_it(const StepFacts& facts) {
  std::vector<Advice> found;
  if (!facts.step.has_steps) return found;
  for (const Rule& rule : all_rules()) {
    for (Advice& advice : rule.find(facts)) {
      advice.rule = rule.name;
      advice.gain = known_within(advice.gain, facts.period_ns);
      if (middle(advice.gain) < kLeastGain * facts.period_ns) continue;
      if (!advice.shows_all_steps) advice.show += step_to_show(facts.step);
      found.push_back(std::move(advice));
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> ruled_out(const StepFacts& facts) {
  std::vector<std::string> lines;
  for (const Advice& advice : worth_it(facts)) {
    if (advice.ruled_out.empty()) continue;
    lines.push_back(fmt::format("{}: ruled out, as {}", advice.what, advice.ruled_out));
  }
  return lines;
}

std::vector<Advice> advise(const StepFacts& facts) {
  std::vector<Advice> found = worth_it(facts);
  std::erase_if(found, [](const Advice& advice) { return !advice.ruled_out.empty(); });
  std::ranges::stable_sort(found, std::greater{}, [](const Advice& a) {
    return std::pair{a.is_gain_known, middle(a.gain)};
  });
  return found;
}

}  // namespace prof::reports
