// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Middles and spreads that a few far values do not move. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace prof::ranks {

/// Of at least one value; reorders them. Of an even number the mean of the two in the middle.
inline double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// A normal distribution's standard deviation over the median of the distances from its middle.
inline constexpr double kOfNormal = 1.4826;

/// How far values are from that middle: the standard deviation, if they are normal. Of one 0.
inline double spread_about(const std::vector<double>& values, double middle) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return distances.empty() ? 0 : kOfNormal * median(distances);
}

/// The median of sorted values without the one at `left_out`; of at least two.
inline double median_without(const std::vector<double>& sorted, std::size_t left_out) {
  const std::size_t count = sorted.size() - 1;
  const auto at = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  return count % 2 == 1 ? at(count / 2) : (at(count / 2 - 1) + at(count / 2)) / 2;
}

}  // namespace prof::ranks
