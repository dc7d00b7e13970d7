// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Descriptive statistics of a set of values: quantiles, and robust measures of location and spread,
// which a few outliers do not move. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace prof {

/// The value at `fraction` of the sorted values, interpolated between two of them as
/// numpy.percentile and pandas do. 0.5 is the median. Reorders the values, of which there must be
/// at least one.
template <typename Number>
double quantile(std::vector<Number>& values, double fraction) {
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  const auto at = values.begin() + below;
  std::nth_element(values.begin(), at, values.end());
  const auto low = static_cast<double>(*at);
  const double part = place - static_cast<double>(below);
  if (part == 0) return low;
  const auto high = static_cast<double>(*std::min_element(at + 1, values.end()));
  return low + (high - low) * part;
}

/// The median; reorders the values, of which there must be at least one.
template <typename Number>
double median(std::vector<Number>& values) {
  return quantile(values, 0.5);
}

/// Ratio of a normal distribution's standard deviation to the median distance from its middle.
inline constexpr double kOfNormal = 1.4826;

/// The spread of values around that middle: the standard deviation, if they are normal. 0 for no
/// values.
template <typename Number>
double spread_about(const std::vector<Number>& values, double middle) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const Number value : values) {
    distances.push_back(std::abs(static_cast<double>(value) - middle));
  }
  return distances.empty() ? 0 : kOfNormal * median(distances);
}

/// An estimate of the standard error of the median.
inline double error_of_median(const std::vector<double>& values, double middle) {
  constexpr double kOfMedian = 1.2533;  // relative to the standard error of the mean
  return kOfMedian * spread_about(values, middle) / std::sqrt(static_cast<double>(values.size()));
}

/// The median of sorted values without the one at `left_out`; at least two values.
inline double median_without(const std::vector<double>& sorted, std::size_t left_out) {
  const std::size_t count = sorted.size() - 1;
  const auto at = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  return count % 2 == 1 ? at(count / 2) : (at(count / 2 - 1) + at(count / 2)) / 2;
}

/// Standard deviation by Welford's method: one pass, and no cancellation if the values are large
/// and close.
class Deviation {
 public:
  void add(long double value) {
    ++count_;
    const long double before = value - mean_;
    mean_ += before / static_cast<long double>(count_);
    squares_ += before * (value - mean_);
  }

  /// The standard deviation of a sample (1 lost degree of freedom) or of a population (0). Absent
  /// for too few values.
  [[nodiscard]] std::optional<long double> result(std::uint64_t lost_degrees) const {
    if (count_ <= lost_degrees) return std::nullopt;
    return std::sqrt(squares_ / static_cast<long double>(count_ - lost_degrees));
  }

 private:
  std::uint64_t count_ = 0;
  long double mean_ = 0, squares_ = 0;
};

}  // namespace prof
