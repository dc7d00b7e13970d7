// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libprof/base/count_text.hpp"
#include "libprof/base/statistics.hpp"
#include "tools/report/compare/blocks.hpp"
#include "tools/report/compare/group_tests.hpp"
#include "tools/report/compare/match.hpp"
#include "tools/report/compare/p_values.hpp"
#include "tools/report/compare/side_groups.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kFewSteps = 3;  // with fewer, no verdict about ops
constexpr std::size_t kMostSteps = 1000;
constexpr double kLeastOfPeriod = 0.01;  // of the period: a change of it
/// So much is no likeness, if it is not proved to be chance.
constexpr double kMuch = 0.1;

/// State of a pair of GPUs until the tests of all pairs are corrected.
struct ChangedWork {
  ComparedGpu found;
  std::vector<GroupTest> tests;      ///< Tests of the matched groups.
  std::vector<std::size_t> changed;  ///< Their indices among the changes.
};

double period_of(const std::vector<const GpuCapture*>& captures) {
  std::vector<double> medians;
  for (const GpuCapture* const one : captures) {
    medians.push_back(static_cast<double>(one->typical.median_ns));
  }
  return median(medians);
}

std::size_t steps_of(const std::vector<const GpuCapture*>& captures) {
  std::size_t steps = 0;
  for (const GpuCapture* const one : captures) steps += one->steps();
  return steps;
}

std::size_t blocks_of(const std::vector<const GpuCapture*>& captures) {
  std::size_t blocks = 0;
  for (const GpuCapture* const one : captures) blocks += block_count(one->steps());
  return blocks;
}

/// By how much the clocks say that the new side is slower; absent: some captures have too few
/// samples of them.
std::optional<double> by_clocks(const GpuPair& pair) {
  const auto log_clock = [](const std::vector<const GpuCapture*>& captures) {
    std::vector<double> clocks;
    for (const GpuCapture* const one : captures) {
      if (one->sm_clock_mhz.value_or(0) > 0) clocks.push_back(*one->sm_clock_mhz);
    }
    const bool all = clocks.size() == captures.size();
    return all ? std::optional(std::log(median(clocks))) : std::nullopt;
  };
  const auto base = log_clock(pair.base), fresh = log_clock(pair.fresh);
  return base && fresh ? std::optional(*base - *fresh) : std::nullopt;
}

/// The median of the captures.
double standing_of(const std::vector<const GpuCapture*>& captures, double RankStanding::*time) {
  std::vector<double> times;
  for (const GpuCapture* const one : captures) times.push_back(one->standing->*time);
  return median(times);
}

const RankStanding* most_of(const GpuPair& pair, double RankStanding::*time) {
  const RankStanding* most = pair.fresh.front()->standing;
  for (const auto* side : {&pair.fresh, &pair.base}) {
    for (const GpuCapture* const one : *side) {
      if (one->standing->*time > most->*time) most = one->standing;
    }
  }
  return most;
}

std::optional<ChangedWaits> waits_of(const GpuPair& pair) {
  if (pair.base.front()->standing == nullptr) return std::nullopt;
  const auto waits = &RankStanding::waits_ns, waited_for = &RankStanding::waited_for_ns;
  return ChangedWaits{.base_ns = standing_of(pair.base, waits),
                      .fresh_ns = standing_of(pair.fresh, waits),
                      .base_waited_for_ns = standing_of(pair.base, waited_for),
                      .fresh_waited_for_ns = standing_of(pair.fresh, waited_for),
                      .waiting = most_of(pair, waits),
                      .late = most_of(pair, waited_for)};
}

bool have_same_kernels(const Change& change) {
  return std::ranges::equal(change.base_kernels, change.fresh_kernels, {}, full_name, full_name);
}

Change unmatched(const SideGroup& group, bool is_added) {
  Change change{.kind = is_added ? ChangeKind::kAdded : ChangeKind::kRemoved, .key = group.key};
  (is_added ? change.fresh_ns : change.base_ns) = group.median_ns;
  (is_added ? change.fresh_kernels : change.base_kernels) = group.kernels;
  return change;
}

Change matched(const SideGroup& base, const SideGroup& fresh, bool is_moved) {
  Change change{.key = fresh.key,
                .base_ns = base.median_ns,
                .fresh_ns = fresh.median_ns,
                .beyond_pct = {},
                .p_value = {},
                .base_kernels = base.kernels,
                .fresh_kernels = fresh.kernels};
  if (!have_same_kernels(change)) change.kind = ChangeKind::kKernel;
  if (is_moved) {
    change.kind = ChangeKind::kMoved;
    change.base_key = base.key;
  }
  return change;
}

PeriodTest::Captures periods_of(const std::vector<const GpuCapture*>& captures) {
  PeriodTest::Captures periods;
  for (const GpuCapture* const one : captures) periods.emplace_back(one->periods_ns);
  return periods;
}

ChangedWork compare(const GpuPair& pair) {
  ChangedWork work;
  ComparedGpu& found = work.found;
  found.pair = &pair;
  found.base_period_ns = period_of(pair.base);
  found.fresh_period_ns = period_of(pair.fresh);
  found.base_steps = steps_of(pair.base);
  found.fresh_steps = steps_of(pair.fresh);
  found.period = PeriodTest(periods_of(pair.base), periods_of(pair.fresh));
  found.waits = waits_of(pair);
  const SideGroups base(pair.base), fresh(pair.fresh);
  found.rare = base.rare() + fresh.rare();
  std::vector<MatchedTimes> times;
  for (const Match& match : match_groups(base.keys(), fresh.keys())) {
    if (match.base && match.fresh) {
      const SideGroup &left = base[*match.base], &right = fresh[*match.fresh];
      work.changed.push_back(found.changes.size());
      found.changes.push_back(matched(left, right, match.is_moved));
      times.push_back({left.steps, right.steps, right.is_collective});
    } else if (match.base) {
      found.changes.push_back(unmatched(base[*match.base], false));
    } else {
      found.changes.push_back(unmatched(fresh[*match.fresh], true));
    }
  }
  found.shift = common_shift(times, by_clocks(pair));
  work.tests = test_groups(times, found.shift);
  return work;
}

std::string numbers(std::size_t base, std::size_t fresh) {
  return base == fresh ? grouped(base) : grouped(base) + " and " + grouped(fresh);
}

/// Whether the step changed: by 1 % at least, beyond chance.
ChangeKind verdict_of(const ComparedGpu& gpu) {
  if (!gpu.period.is_decided()) return ChangeKind::kUnknown;
  const double change = gpu.period.change();
  if (gpu.period_p <= kLevel) {
    if (std::abs(std::expm1(change)) < kLeastOfPeriod) return ChangeKind::kSame;
    return change > 0 ? ChangeKind::kSlower : ChangeKind::kFaster;
  }
  // A change that is not shown may be there all the same.
  const double reach = std::abs(change) + gpu.period.reach(kLevel);
  return std::expm1(reach) < kLeastOther ? ChangeKind::kSame : ChangeKind::kUnknown;
}

/// The fewest steps on each side with which this difference, of so many ops, would be proved; 0:
/// none are enough.
std::size_t steps_needed(const GroupTest& test, const ChangedWork& work, std::size_t tests) {
  const auto have = static_cast<double>(
      std::min(blocks_of(work.found.pair->base), blocks_of(work.found.pair->fresh)));
  for (std::size_t steps = kFewSteps; steps <= kMostSteps; ++steps) {
    const auto blocks = static_cast<double>(block_count(steps));
    const double p = test.p_with(blocks / have, 2 * blocks);
    if (p * static_cast<double>(tests) <= kLevel) return steps;
  }
  return 0;
}

/// A difference that is no proof, and no likeness either.
bool is_undecided(const GroupTest& test) {
  return test.is_large && test.is_long_enough &&
         (test.p_value <= kLevel || std::abs(std::expm1(test.beyond)) >= kMuch);
}

ChangeKind verdict_of(const GroupTest& test, const std::optional<double>& p) {
  if (test.is_large && p && *p <= kLevel) {
    return test.beyond > 0 ? ChangeKind::kSlower : ChangeKind::kFaster;
  }
  return is_undecided(test) ? ChangeKind::kUnknown : ChangeKind::kSame;
}

/// The verdicts about times, by the corrected p-values of this pair.
void settle(ChangedWork& work, std::span<const double> p_values) {
  ComparedGpu& found = work.found;
  if (found.base_steps < kFewSteps || found.fresh_steps < kFewSteps) {
    found.why_unknown = fmt::format("{}, at least {} are needed", found.steps_text(), kFewSteps);
  }
  std::size_t next = 0;
  double most_ns = 0;
  for (std::size_t i = 0; i < work.tests.size(); ++i) {
    const GroupTest& test = work.tests[i];
    Change& change = found.changes[work.changed[i]];
    change.beyond_pct = 100 * std::expm1(test.beyond);
    std::optional<double> p;
    if (test.is_long_enough) p = p_values[next++];
    if (!found.why_unknown.empty()) continue;
    change.p_value = p;
    if (change.kind != ChangeKind::kUnknown) continue;
    change.kind = verdict_of(test, p);
    if (change.kind != ChangeKind::kUnknown) continue;
    ++found.undecided;
    if (std::abs(change.difference_ns()) <= most_ns) continue;
    most_ns = std::abs(change.difference_ns());
    found.steps_needed = steps_needed(test, work, found.tests);
  }
  std::ranges::stable_sort(found.changes, [](const Change& a, const Change& b) {
    const bool a_same = a.kind == ChangeKind::kSame, b_same = b.kind == ChangeKind::kSame;
    if (a_same != b_same) return b_same;
    return std::abs(a.difference_ns()) > std::abs(b.difference_ns());
  });
}

}  // namespace

std::string_view name(ChangeKind kind) {
  static constexpr std::string_view kNames[] = {"",       "same",  "slower", "faster",
                                                "kernel", "moved", "added",  "removed"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string ComparedGpu::steps_text() const {
  const bool is_one = base_steps == 1 && fresh_steps == 1;
  std::string text =
      numbers(base_steps, fresh_steps) + (is_one ? " step a side" : " steady steps a side");
  if (pair->base.size() > 1 || pair->fresh.size() > 1) {
    text += ", of " + numbers(pair->base.size(), pair->fresh.size()) + " captures";
  }
  return text;
}

std::vector<ComparedGpu> find_changes(std::span<const GpuPair> pairs) {
  std::vector<ChangedWork> all;
  std::vector<double> p_values, of_periods;
  for (const GpuPair& pair : pairs) {
    ChangedWork& work = all.emplace_back(compare(pair));
    of_periods.push_back(work.found.period.p_value());
    for (const GroupTest& test : work.tests) {
      if (test.is_long_enough) p_values.push_back(test.p_value);
    }
  }
  const std::vector<double> corrected = holm(p_values), periods = holm(of_periods);
  std::span<const double> left(corrected);
  std::vector<ComparedGpu> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ChangedWork& work = all[i];
    work.found.period_p = periods[i];
    work.found.verdict = verdict_of(work.found);
    work.found.tests = p_values.size();
    const auto own =
        static_cast<std::size_t>(std::ranges::count_if(work.tests, &GroupTest::is_long_enough));
    settle(work, left.first(own));
    left = left.subspan(own);
    found.push_back(std::move(work.found));
  }
  return found;
}

}  // namespace prof::reports
