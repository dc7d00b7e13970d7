// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/durations.hpp"

#include <cmath>

namespace prof::reports {

void Durations::merge(const Durations& other) {
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
  count_ += other.count_;
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
}

Cell Durations::quantile_us(double fraction) const {
  if (values_.empty()) return absent();
  const double place = fraction * static_cast<double>(values_.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  const auto at = values_.begin() + below;
  std::nth_element(values_.begin(), at, values_.end());
  const auto low = static_cast<double>(*at);
  const double part = place - static_cast<double>(below);
  if (part == 0) return real(low / 1e3);
  const auto high = static_cast<double>(*std::min_element(at + 1, values_.end()));
  return real((low + (high - low) * part) / 1e3);
}

Cell Durations::stddev_us() const {
  if (values_.empty()) return absent();
  if (values_.size() == 1) return real(0.0);
  long double sum = 0;
  for (const std::int64_t value : values_) sum += static_cast<long double>(value);
  const auto count = static_cast<long double>(values_.size());
  const long double mean = sum / count;
  long double squares = 0;
  for (const std::int64_t value : values_) {
    const long double off = static_cast<long double>(value) - mean;
    squares += off * off;
  }
  return real(static_cast<double>(std::sqrt(squares / (count - 1)) / 1e3L));
}

}  // namespace prof::reports
