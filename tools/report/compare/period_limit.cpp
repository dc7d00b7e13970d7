// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/period_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prof::reports {
namespace {

using Kind = LimitVerdict::Kind;

double percent(double log) { return 100 * std::expm1(log); }

/// States how well the period is known, and how many steps would suffice.
std::string undecided_text(const ComparedGpu& gpu, double limit) {
  const PeriodTest& period = gpu.period;
  const std::size_t enough = period.steps_needed_from(limit, kLevel);
  const std::string needed = enough > 0 ? fmt::format("about {} a side would do", enough)
                                        : "capture each side three times";
  if (!period.is_decided()) return fmt::format("{}, {}", gpu.steps_text(), needed);
  const double reach = period.reach(kLevel);
  return fmt::format("{:+.1f} to {:+.1f} % longer by {}; {}", percent(period.change() - reach),
                     percent(period.change() + reach), gpu.steps_text(), needed);
}

}  // namespace

LimitVerdict judge_limit(std::span<const ComparedGpu> compared, std::string_view alone,
                         double limit_pct) {
  const double limit = std::log1p(limit_pct / 100);
  const auto count = static_cast<double>(compared.size());
  const ComparedGpu *exceeds = nullptr, *open = nullptr;
  const auto is_more = [](const ComparedGpu& one, const ComparedGpu* than) {
    return than == nullptr || one.period_change_pct() > than->period_change_pct();
  };
  for (const ComparedGpu& one : compared) {
    const double p = one.period.p_value(limit);
    const bool is_above = one.period.change() > limit;
    // One of several exceeds it by chance more often; that none does is not more likely.
    if (is_above && p * count <= kLevel) {
      if (is_more(one, exceeds)) exceeds = &one;
    } else if (is_above || p > kLevel) {
      if (is_more(one, open)) open = &one;
    }
  }
  if (exceeds != nullptr) return {Kind::kExceeded, exceeds->period_change_pct(), ""};
  if (compared.empty()) return {Kind::kUndecided, 0, "no GPU has steps on both sides"};
  if (!alone.empty()) {
    return {Kind::kUndecided, 0, fmt::format("{} is on one side alone", alone)};
  }
  if (open != nullptr) return {Kind::kUndecided, 0, undecided_text(*open, limit)};
  return {};
}

}  // namespace prof::reports
