// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What reports and SQL say about a set of values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace prof::tools {

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

}  // namespace prof::tools
