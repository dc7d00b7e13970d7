// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/durations.hpp"

#include "libprof/base/statistics.hpp"
#include "tools/report/table/plain_bytes.hpp"

namespace prof::reports {

void Durations::merge(const Durations& other) {
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
  count_ += other.count_;
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
}

void Durations::append(std::string& bytes) const {
  append_plain(min_ns_, bytes);
  append_plain(max_ns_, bytes);
  append_plain(count_, bytes);
  append_plain(keeps_, bytes);
  append_plain(values_.size(), bytes);
  for (const std::int64_t value : values_) append_plain(value, bytes);
}

void Durations::take(std::string_view& bytes) {
  min_ns_ = take_plain<std::int64_t>(bytes);
  max_ns_ = take_plain<std::int64_t>(bytes);
  count_ = take_plain<std::uint64_t>(bytes);
  keeps_ = take_plain<bool>(bytes);
  values_.resize(take_plain<std::size_t>(bytes));
  for (std::int64_t& value : values_) value = take_plain<std::int64_t>(bytes);
}

Cell Durations::quantile_ns(double fraction) const {
  return values_.empty() ? absent() : real(quantile(values_, fraction));
}

Cell Durations::stddev_ns() const {
  if (values_.empty()) return absent();
  Deviation deviation;
  for (const std::int64_t value : values_) deviation.add(static_cast<long double>(value));
  return real(static_cast<double>(deviation.result(1).value_or(0)));
}

}  // namespace prof::reports
