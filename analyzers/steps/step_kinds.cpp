// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/steps/step_kinds.hpp"

#include <algorithm>
#include <span>

namespace prof {
namespace {

constexpr std::size_t kLeastOfKind = 3;
constexpr double kLeastOfAll = 0.1;
/// Steps of no kind, such as one in which the host did something else.
constexpr double kMostOthers = 0.2;

using PeriodSpan = std::span<const std::int64_t>;

/// Periods of one kind are near, one after the other, in order of size.
std::vector<StepKind> clusters_of(PeriodSpan periods) {
  std::vector<std::int64_t> sorted(periods.begin(), periods.end());
  std::ranges::sort(sorted);
  std::vector<StepKind> clusters;
  for (const std::int64_t period : sorted) {
    if (clusters.empty() ||
        !are_near(static_cast<double>(clusters.back().longest_ns), static_cast<double>(period))) {
      clusters.push_back({.shortest_ns = period});
    }
    ++clusters.back().steps;
    clusters.back().longest_ns = period;
  }
  return clusters;
}

/// It comes about as often in each half: it does not end, as a warm-up does.
bool recurs(PeriodSpan periods, const StepKind& kind) {
  const std::size_t half = periods.size() / 2;
  const auto count = [&](PeriodSpan part) {
    return std::ranges::count_if(part, [&](std::int64_t period) { return kind.has(period); });
  };
  const auto early = count(periods.first(half)), late = count(periods.last(half));
  return std::min(early, late) > 0 && 2 * std::min(early, late) + 1 >= std::max(early, late);
}

std::vector<StepKind> kinds_of(PeriodSpan periods) {
  std::vector<StepKind> kinds = clusters_of(periods);
  const auto all = static_cast<double>(periods.size());
  std::erase_if(kinds, [&](const StepKind& kind) {
    return kind.steps < kLeastOfKind || static_cast<double>(kind.steps) < kLeastOfAll * all ||
           !recurs(periods, kind);
  });
  std::size_t steps = 0;
  for (const StepKind& kind : kinds) steps += kind.steps;
  if (kinds.size() < 2 || static_cast<double>(steps) < (1 - kMostOthers) * all) kinds.clear();
  return kinds;
}

/// There may be two kinds, wherever the warm-up ends.
bool may_have_kinds(PeriodSpan periods) {
  const auto all = static_cast<double>(periods.size());
  const auto large = std::ranges::count_if(clusters_of(periods), [&](const StepKind& kind) {
    return kind.steps >= kLeastOfKind && static_cast<double>(kind.steps) >= kLeastOfAll / 2 * all;
  });
  return large > 1;
}

}  // namespace

StepKinds find_kinds(const std::vector<std::int64_t>& periods_ns) {
  constexpr std::size_t kMostWarmUp = 64;
  if (!may_have_kinds(periods_ns)) return {};
  const std::size_t end = std::min(periods_ns.size() / 2, kMostWarmUp);
  for (std::size_t begin = 0; begin <= end; ++begin) {
    const PeriodSpan rest = PeriodSpan(periods_ns).subspan(begin);
    std::vector<StepKind> kinds = kinds_of(rest);
    const bool begins =
        std::ranges::any_of(kinds, [&](const StepKind& kind) { return kind.has(rest.front()); });
    if (begins) return {begin, std::move(kinds)};
  }
  return {};
}

}  // namespace prof
