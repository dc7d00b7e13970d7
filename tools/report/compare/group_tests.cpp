// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/group_tests.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "libprof/base/statistics.hpp"
#include "tools/report/compare/blocks.hpp"
#include "tools/report/compare/p_values.hpp"
#include "tools/report/compare/spread.hpp"

namespace prof::reports {
namespace {

constexpr double kLeastPart = 0.01, kLeastNs = 1000;
/// Times of a GPU come in ticks of so much, or less.
constexpr double kTickNs = 32;
/// Some ops differ far more from capture to capture than others do, so that the differences of a
/// program's ops have the tails of a t distribution of few degrees (docs/diff.md has figures).
constexpr double kExpected = 5;
/// A median of n deviations is as good as the variance of 0.37 n values (Huber 1981).
constexpr double kOfMedian = 0.37;

/// Of one group in one capture, the capture's shift taken out.
struct OfCapture {
  double log_ns = 0;    ///< Of the median step.
  double variance = 0;  ///< Of that, from the steps.
};

struct OfSide {
  std::vector<OfCapture> captures;
  std::vector<double> blocks;  ///< Of all captures.
  double median_ns = 0;        ///< As measured.

  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const OfCapture& one : captures) sum += one.log_ns;
    return sum / count();
  }
  [[nodiscard]] double variance_of_mean() const {
    double sum = 0;
    for (const OfCapture& one : captures) sum += one.variance;
    return sum / count() / count();
  }
  [[nodiscard]] double count() const { return static_cast<double>(captures.size()); }
};

/// The variance of a median: pi / 2 times that of the mean, and what the ticks hide.
double variance_of_median(std::span<const double> blocks, double log_ns) {
  Deviation deviation;
  for (const double block : blocks) deviation.add(std::log(std::max(1.0, block)));
  const auto found = static_cast<double>(deviation.result(1).value_or(0));
  const double tick = kTickNs * std::exp(-log_ns);
  return std::numbers::pi / 2 * found * found / static_cast<double>(blocks.size()) +
         tick * tick / 12;
}

OfSide side_of(const std::vector<std::span<const double>>& captures,
               std::span<const double> shifts) {
  OfSide side;
  std::vector<double> medians;
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const auto log = log_median(captures[i]);
    if (!log) continue;
    medians.push_back(std::exp(*log));
    const std::vector<double> blocks = block_means(captures[i]);
    side.captures.push_back({*log - shifts[i], variance_of_median(blocks, *log)});
    for (const double block : blocks) side.blocks.push_back(block * std::exp(-shifts[i]));
  }
  if (!medians.empty()) side.median_ns = median(medians);
  return side;
}

struct TestedGroup {
  OfSide base, fresh;
  bool is_collective = false;

  [[nodiscard]] bool is_compared() const {
    return !base.captures.empty() && !fresh.captures.empty();
  }
  [[nodiscard]] double difference() const { return fresh.mean() - base.mean(); }
  [[nodiscard]] double variance() const {
    return base.variance_of_mean() + fresh.variance_of_mean();
  }
  /// How often the variance of a capture counts in the difference.
  [[nodiscard]] double weight() const { return 1 / base.count() + 1 / fresh.count(); }
};

/// Differences of captures from the mean of their side.
void add_within(const OfSide& side, std::vector<Difference>& to) {
  if (side.captures.size() < 2) return;
  const double mean = side.mean(), rest = 1 - 1 / side.count();
  for (const OfCapture& one : side.captures) {
    to.push_back({one.log_ns - mean, one.variance * rest, rest});
  }
}

/// A variance, and how well it is known.
struct Known {
  double variance = 0, freedom = 0;  ///< Degrees of freedom.
};

/// The variance of captures: from those of a side if it has several, else from the differences of
/// the sides, most of which are none.
Known variance_of_captures(const std::vector<TestedGroup>& groups) {
  std::vector<Difference> within, between;
  double compared = 0;  // independent differences within
  for (const TestedGroup& group : groups) {
    if (!group.is_compared()) continue;
    add_within(group.base, within);
    add_within(group.fresh, within);
    compared += group.base.count() + group.fresh.count() - 2;
    between.push_back({group.difference(), group.variance(), group.weight()});
  }
  const bool has_several = !within.empty();
  const double count = has_several ? compared : static_cast<double>(between.size());
  return {extra_variance(has_several ? within : between), std::max(1.0, kOfMedian * count)};
}

/// The variance of captures in this group alone; unknown if no side has several.
Known own_variance(const TestedGroup& group) {
  Known own;
  for (const OfSide* const side : {&group.base, &group.fresh}) {
    for (const OfCapture& one : side->captures) {
      own.variance += (one.log_ns - side->mean()) * (one.log_ns - side->mean());
    }
    own.freedom += side->count() - 1;
  }
  if (own.freedom > 0) own.variance /= own.freedom;
  return own;
}

/// The variance of a group's difference: what the others make expect, as if it came from kExpected
/// values of this group, and what its own captures say (the moderated variance of Smyth 2004).
Known variance_of(const TestedGroup& group, const Known& captures) {
  const Known own = own_variance(group);
  const double expected = group.variance() + captures.variance * group.weight();
  const double freedom = std::min(kExpected, captures.freedom);
  const double all = freedom + own.freedom;
  return {(freedom * expected + own.freedom * own.variance * group.weight()) / all, all};
}

/// Each capture of a side is slower than each of the other one. Where a side has one capture only,
/// its own difference says nothing.
bool are_apart(const TestedGroup& group, double common) {
  if (group.base.captures.size() < 2 && group.fresh.captures.size() < 2) return true;
  const auto [low, high] = std::ranges::minmax(group.base.captures, {}, &OfCapture::log_ns);
  return std::ranges::all_of(group.fresh.captures,
                             [&, low = low.log_ns, high = high.log_ns](const OfCapture& one) {
                               return common > 0 ? one.log_ns > high : one.log_ns < low;
                             });
}

double p_of_captures(double difference, double variance, double freedom) {
  return difference == 0 ? 1 : p_of_t(difference / std::sqrt(variance), freedom);
}

GroupTest test(const TestedGroup& group, const CommonShift& shift, const Known& captures,
               MannWhitney& steps_test) {
  GroupTest found{.base_ns = group.base.median_ns, .fresh_ns = group.fresh.median_ns};
  if (!group.is_compared()) return found;
  found.is_long_enough = std::max(found.base_ns, found.fresh_ns) >= kLeastNs;
  found.beyond = shift.beyond(group.difference() + shift.shift, group.is_collective);
  const double explained = group.difference() - found.beyond;
  std::vector<double> fresh = group.fresh.blocks;
  for (double& block : fresh) block *= std::exp(-explained);
  const Known known = variance_of(group, captures);
  // The deviation of the steps is estimated from their blocks.
  const auto blocks = static_cast<double>(group.base.blocks.size() + fresh.size());
  const double freedom = std::min(std::max(1.0, blocks - 2), known.freedom);
  found.p_value = std::max(steps_test.p_value(group.base.blocks, fresh),
                           p_of_captures(found.beyond, known.variance, freedom));
  const double part = std::abs(std::expm1(found.beyond));
  found.is_large =
      part >= kLeastPart && part * found.base_ns >= kLeastNs && are_apart(group, found.beyond);
  return found;
}

}  // namespace

std::vector<GroupTest> test_groups(std::span<const MatchedTimes> groups, const CommonShift& shift,
                                   MannWhitney& steps_test) {
  std::vector<TestedGroup> known;
  known.reserve(groups.size());
  for (const MatchedTimes& times : groups) {
    known.push_back(
        {side_of(times.base, shift.base), side_of(times.fresh, shift.fresh), times.is_collective});
  }
  const Known captures = variance_of_captures(known);
  std::vector<GroupTest> tests;
  tests.reserve(groups.size());
  for (const TestedGroup& group : known) {
    tests.push_back(test(group, shift, captures, steps_test));
  }
  return tests;
}

}  // namespace prof::reports
