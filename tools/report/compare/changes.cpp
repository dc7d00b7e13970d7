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

constexpr std::size_t kFewSteps = 5;  // with fewer, no verdict
constexpr double kLevel = 0.05;

/// What a pair of GPUs needs until the tests of all pairs are corrected.
struct ChangedWork {
  ComparedGpu found;
  std::vector<GroupTest> tests;      ///< Of the matched groups.
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

ChangedWork compare(const GpuPair& pair, MannWhitney& steps_test) {
  ChangedWork work;
  ComparedGpu& found = work.found;
  found.pair = &pair;
  found.base_period_ns = period_of(pair.base);
  found.fresh_period_ns = period_of(pair.fresh);
  found.base_steps = steps_of(pair.base);
  found.fresh_steps = steps_of(pair.fresh);
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
  work.tests = test_groups(times, found.shift, steps_test);
  return work;
}

/// The fewest steps on each side with which one of so many tests can prove something.
std::size_t steps_needed(std::size_t tests, MannWhitney& steps_test) {
  std::size_t steps = kFewSteps;
  while (steps < 1000 &&
         steps_test.smallest(block_count(steps), block_count(steps)) * static_cast<double>(tests) >
             kLevel) {
    ++steps;
  }
  return steps;
}

std::string why_not(const ChangedWork& work, std::size_t tests, MannWhitney& steps_test) {
  const ComparedGpu& gpu = work.found;
  const std::string have =
      gpu.base_steps == gpu.fresh_steps
          ? count_text(gpu.base_steps, "steady step", "steady steps") + " a side"
          : fmt::format("{} and {} steady steps", gpu.base_steps, gpu.fresh_steps);
  if (gpu.has_few_steps()) return fmt::format("{}, at least {} are needed", have, kFewSteps);
  const double smallest =
      steps_test.smallest(blocks_of(gpu.pair->base), blocks_of(gpu.pair->fresh));
  if (smallest * static_cast<double>(tests) <= kLevel) return {};
  return fmt::format("{} prove nothing about one of {} ops; {} a side would", have, tests,
                     steps_needed(tests, steps_test));
}

/// The verdicts about times, by the corrected p-values of this pair.
void settle(ChangedWork& work, std::span<const double> p_values) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < work.tests.size(); ++i) {
    const GroupTest& test = work.tests[i];
    Change& change = work.found.changes[work.changed[i]];
    change.beyond_pct = 100 * std::expm1(test.beyond);
    std::optional<double> p;
    if (test.is_long_enough) p = p_values[next++];
    if (!work.found.why_unknown.empty()) continue;
    change.p_value = p;
    if (change.kind != ChangeKind::kUnknown) continue;
    const bool is_changed = test.is_large && p && *p <= kLevel;
    const ChangeKind other = test.beyond > 0 ? ChangeKind::kSlower : ChangeKind::kFaster;
    change.kind = is_changed ? other : ChangeKind::kSame;
  }
  std::ranges::stable_sort(work.found.changes, [](const Change& a, const Change& b) {
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

bool ComparedGpu::has_few_steps() const {
  return base_steps < kFewSteps || fresh_steps < kFewSteps;
}

std::vector<ComparedGpu> find_changes(std::span<const GpuPair> pairs) {
  MannWhitney steps_test;
  std::vector<ChangedWork> all;
  std::vector<double> p_values;
  for (const GpuPair& pair : pairs) {
    ChangedWork& work = all.emplace_back(compare(pair, steps_test));
    for (const GroupTest& test : work.tests) {
      if (test.is_long_enough) p_values.push_back(test.p_value);
    }
  }
  const std::vector<double> corrected = holm(p_values);
  std::span<const double> left(corrected);
  std::vector<ComparedGpu> found;
  for (ChangedWork& work : all) {
    work.found.why_unknown = why_not(work, p_values.size(), steps_test);
    const auto own = static_cast<std::size_t>(std::ranges::count_if(
        work.tests, [](const GroupTest& test) { return test.is_long_enough; }));
    settle(work, left.first(own));
    left = left.subspan(own);
    found.push_back(std::move(work.found));
  }
  return found;
}

}  // namespace prof::reports
