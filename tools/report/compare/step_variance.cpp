// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/step_variance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "libprof/base/statistics.hpp"

namespace prof::reports {
namespace {

/// The typical variance counts as if it came from so many more steps. With fewer false findings
/// hardly become rarer, with more of them ops that vary far more than others pass for others.
constexpr double kTypicalFreedom = 3;
/// A median of n variances is as good as the mean of 0.37 n (Huber 1981).
constexpr double kOfMedianVariance = 0.37;
/// Groups that take about as long: short ones vary more.
constexpr std::size_t kNeighbors = 51;

/// The median of a variance that is estimated with so much freedom, of a true one of 1 (Wilson and
/// Hilferty 1931).
double median_of_estimates(double freedom) { return std::pow(1 - 2 / (9 * freedom), 3); }

}  // namespace

void StepSpread::add(std::span<const double> steps) {
  if (steps.empty()) return;
  Deviation deviation;
  for (const double step : steps) deviation.add(std::log(std::max(1.0, step)));
  const auto found = static_cast<double>(deviation.result(0).value_or(0));
  const auto count = static_cast<double>(steps.size());
  squares += found * found * count;
  freedom += count - 1;
}

std::vector<double> moderated_variances(std::span<const StepSpread> groups) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].freedom > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return groups[i].log_ns; });
  std::vector<double> variances(groups.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t last =
        std::min(order.size(), std::max(place + kNeighbors / 2 + 1, kNeighbors));
    const std::size_t first = last - std::min(last, kNeighbors);
    std::vector<double> near;
    for (std::size_t i = first; i < last; ++i) {
      const StepSpread& one = groups[order[i]];
      near.push_back(one.squares / one.freedom / median_of_estimates(one.freedom));
    }
    const double freedom =
        std::min(kTypicalFreedom, kOfMedianVariance * static_cast<double>(near.size()));
    const StepSpread& own = groups[order[place]];
    variances[order[place]] = (freedom * median(near) + own.squares) / (freedom + own.freedom);
  }
  return variances;
}

}  // namespace prof::reports
