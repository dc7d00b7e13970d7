// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said of a set of values: quantiles, and middles and spreads that a few far values do not
// move. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace prof {

/// The value at `fraction` of the sorted values; between two of them in proportion, as
/// numpy.percentile and pandas do it. 0.5 is the median. Reorders the values; not of none.
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

/// Likewise, of at least one value.
template <typename Number>
double median(std::vector<Number>& values) {
  return quantile(values, 0.5);
}

/// A normal distribution's standard deviation over the median of the distances from its middle.
inline constexpr double kOfNormal = 1.4826;

/// How far values are from that middle: the standard deviation, if they are normal. Of none 0.
template <typename Number>
double spread_about(const std::vector<Number>& values, double middle) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const Number value : values) {
    distances.push_back(std::abs(static_cast<double>(value) - middle));
  }
  return distances.empty() ? 0 : kOfNormal * median(distances);
}

/// How far the median of the values may be from that of many such.
inline double error_of_median(const std::vector<double>& values, double middle) {
  constexpr double kOfMedian = 1.2533;  // against the error of a mean
  return kOfMedian * spread_about(values, middle) / std::sqrt(static_cast<double>(values.size()));
}

/// The median of sorted values without the one at `left_out`; of at least two.
inline double median_without(const std::vector<double>& sorted, std::size_t left_out) {
  const std::size_t count = sorted.size() - 1;
  const auto at = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  return count % 2 == 1 ? at(count / 2) : (at(count / 2 - 1) + at(count / 2)) / 2;
}

/// Standard deviation by Welford's method: one pass, and no cancellation where the values are large
/// and close.
class Deviation {
 public:
  void add(long double value) {
    ++count_;
    const long double before = value - mean_;
    mean_ += before / static_cast<long double>(count_);
    squares_ += before * (value - mean_);
  }

  /// Of a sample (1 lost degree of freedom) or of a population (0). Absent for too few values.
  [[nodiscard]] std::optional<long double> result(std::uint64_t lost_degrees) const {
    if (count_ <= lost_degrees) return std::nullopt;
    return std::sqrt(squares_ / static_cast<long double>(count_ - lost_degrees));
  }

 private:
  std::uint64_t count_ = 0;
  long double mean_ = 0, squares_ = 0;
};

}  // namespace prof
