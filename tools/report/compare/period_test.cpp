// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/period_test.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/report/compare/blocks.hpp"
#include "tools/report/compare/common_shift.hpp"
#include "tools/report/compare/p_values.hpp"
#include "tools/report/compare/step_variance.hpp"

namespace prof::reports {
namespace {

/// How much a capture differs from another one of its program, as a standard deviation: two differ
/// by under 1 % on an idle H200.
constexpr double kOfOneCapture = 0.005;
constexpr std::size_t kMostStepsNeeded = 1000;
constexpr int kHalvingsOfT = 60;

struct PeriodSide {
  double captures = 0, blocks = 0;
  double mean = 0;     // of the logarithms of the captures' medians
  double squares = 0;  // of their distances from it
  double weight = 0;   // how often the variance of a step counts in the mean

  PeriodSide(const PeriodTest::Captures& all, StepSpread& spread) {
    std::vector<double> logs;
    for (const auto& steps : all) {
      const auto log = log_median(steps);
      if (!log) continue;
      const std::vector<double> values = block_means(steps);
      spread.add(values);
      logs.push_back(*log);
      blocks += static_cast<double>(values.size());
      weight += 1 / static_cast<double>(values.size());
    }
    captures = static_cast<double>(logs.size());
    if (logs.empty()) return;
    weight /= captures * captures;
    for (const double log : logs) mean += log / captures;
    for (const double log : logs) squares += (log - mean) * (log - mean);
  }
};

}  // namespace

PeriodTest::PeriodTest(const Captures& base, const Captures& fresh) {
  StepSpread spread;
  const PeriodSide before(base, spread), after(fresh, spread);
  if (std::min(before.blocks, after.blocks) < kFewSteps) return;
  change_ = after.mean - before.mean;
  steps_ = before.blocks + after.blocks;
  if (spread.freedom > 0) {
    // The variance of a median is pi / 2 times that of a mean.
    of_steps_ =
        std::numbers::pi / 2 * spread.squares / spread.freedom * (before.weight + after.weight);
  }
  captures_freedom_ = before.captures + after.captures - 2;
  const double weight = 1 / before.captures + 1 / after.captures;
  const double known = kOfOneCapture * kOfOneCapture * weight;
  if (captures_freedom_ == 0) {
    of_captures_ = known;
    return;
  }
  // The difference between the captures of a side includes the variance of their steps.
  const double seen = (before.squares + after.squares) / captures_freedom_ * weight;
  of_captures_ = std::max(0.0, seen - of_steps_);
}

double PeriodTest::variance(double times_as_many) const {
  return of_steps_ / times_as_many + of_captures_;
}

/// Degrees of freedom for one capture a side, by Welch and Satterthwaite: its part of the variance
/// is given.
double PeriodTest::freedom(double times_as_many) const {
  if (captures_freedom_ > 0) return captures_freedom_;
  const double steps = steps_ * times_as_many - 2, part = of_steps_ / times_as_many;
  if (steps <= 0 || part <= 0) return std::max(0.0, steps);
  return steps * variance(times_as_many) * variance(times_as_many) / (part * part);
}

double PeriodTest::p_value(double from) const {
  const double apart = change_ - from;
  if (!is_decided() || apart == 0) return 1;
  return variance() > 0 ? p_of_t(apart / std::sqrt(variance()), freedom()) : 0;
}

double PeriodTest::reach(double level) const {
  double low = 0, high = 1e6;  // of t
  for (int i = 0; i < kHalvingsOfT; ++i) {
    const double middle = (low + high) / 2;
    (p_of_t(middle, freedom()) > level ? low : high) = middle;
  }
  return high * std::sqrt(variance());
}

std::size_t PeriodTest::steps_needed_from(double from, double level) const {
  if (!is_decided()) return kFewSteps;
  const double apart = change_ - from;
  for (std::size_t steps = kFewSteps; steps <= kMostStepsNeeded; ++steps) {
    const double times = 2 * static_cast<double>(steps) / steps_;
    const double deviation = std::sqrt(variance(times));
    if (deviation > 0 && p_of_t(apart / deviation, freedom(times)) <= level) {
      return steps;
    }
  }
  return 0;
}

}  // namespace prof::reports
