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
#include "tools/report/compare/step_variance.hpp"

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

/// One group in one capture, with the capture's shift taken out.
struct OfCapture {
  double log_ns = 0;    ///< Logarithm of the median step.
  double blocks = 0;    ///< The number of values of which it is the median.
  double variance = 0;  ///< Variance of log_ns, from the steps.
};

struct OfSide {
  std::vector<OfCapture> captures;
  double median_ns = 0;  ///< As measured.

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
  [[nodiscard]] double blocks() const {
    double sum = 0;
    for (const OfCapture& one : captures) sum += one.blocks;
    return sum;
  }
  /// The variance of a median: pi / 2 times that of the mean, and what the ticks hide.
  void know(double of_a_step) {
    const double tick = kTickNs / std::max(1.0, median_ns);
    for (OfCapture& one : captures) {
      one.variance = std::numbers::pi / 2 * of_a_step / one.blocks + tick * tick / 12;
    }
  }
};

OfSide side_of(const std::vector<std::span<const double>>& captures, std::span<const double> shifts,
               StepSpread& spread) {
  OfSide side;
  std::vector<double> medians;
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const auto log = log_median(captures[i]);
    if (!log) continue;
    medians.push_back(std::exp(*log));
    const std::vector<double> blocks = block_means(captures[i]);
    spread.add(blocks);
    side.captures.push_back({*log - shifts[i], static_cast<double>(blocks.size()), 0});
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

/// A deviation that few steps show is not better known than by these.
double freedom_of(double of_captures, double steps) {
  return std::min(std::max(1.0, steps - 2), of_captures);
}

double p_of_captures(double difference, double variance, double freedom) {
  return difference == 0 ? 1 : p_of_t(difference / std::sqrt(variance), freedom);
}

GroupTest test(const TestedGroup& group, const CommonShift& shift, const Known& captures) {
  GroupTest found{.base_ns = group.base.median_ns, .fresh_ns = group.fresh.median_ns};
  if (!group.is_compared()) return found;
  found.is_long_enough = std::max(found.base_ns, found.fresh_ns) >= kLeastNs;
  found.beyond = shift.beyond(group.difference() + shift.shift, group.is_collective);
  const Known known = variance_of(group, captures);
  found.of_steps = std::min(known.variance, group.variance());
  found.of_captures = known.variance - found.of_steps;
  found.freedom = known.freedom;
  found.p_value =
      p_of_captures(found.beyond, known.variance,
                    freedom_of(known.freedom, group.base.blocks() + group.fresh.blocks()));
  const double part = std::abs(std::expm1(found.beyond));
  found.is_large =
      part >= kLeastPart && part * found.base_ns >= kLeastNs && are_apart(group, found.beyond);
  return found;
}

}  // namespace

double GroupTest::p_with(double times_as_many, double steps) const {
  return p_of_captures(beyond, of_steps / times_as_many + of_captures, freedom_of(freedom, steps));
}

std::vector<GroupTest> test_groups(std::span<const MatchedTimes> groups, const CommonShift& shift) {
  std::vector<TestedGroup> known;
  std::vector<StepSpread> spreads;
  known.reserve(groups.size());
  for (const MatchedTimes& times : groups) {
    StepSpread& spread = spreads.emplace_back();
    known.push_back({side_of(times.base, shift.base, spread),
                     side_of(times.fresh, shift.fresh, spread), times.is_collective});
    spread.log_ns = std::log(std::max(1.0, known.back().base.median_ns));
  }
  const std::vector<double> variances = moderated_variances(spreads);
  for (std::size_t i = 0; i < known.size(); ++i) {
    known[i].base.know(variances[i]);
    known[i].fresh.know(variances[i]);
  }
  const Known captures = variance_of_captures(known);
  std::vector<GroupTest> tests;
  tests.reserve(groups.size());
  for (const TestedGroup& group : known) tests.push_back(test(group, shift, captures));
  return tests;
}

}  // namespace prof::reports
