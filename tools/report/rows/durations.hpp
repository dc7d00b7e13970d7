// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Durations: the known durations of a group's rows. Their extremes are always there; the
// distribution (median, standard deviation, 95th percentile) only if it is asked for, because it
// takes 8 bytes for each row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {

class Durations {
 public:
  /// Before the first add().
  void keep_values() { keeps_ = true; }
  void add(std::int64_t duration_ns) {
    min_ns_ = std::min(min_ns_, duration_ns);
    max_ns_ = std::max(max_ns_, duration_ns);
    ++count_;
    if (keeps_) values_.push_back(duration_ns);
  }
  void merge(const Durations& other);
  // As bytes, for groups that are kept in temporary files.
  void append(std::string& bytes) const;
  void take(std::string_view& bytes);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Absent without durations. In nanoseconds.
  [[nodiscard]] Cell min_ns() const { return count_ > 0 ? signed_number(min_ns_) : absent(); }
  [[nodiscard]] Cell max_ns() const { return count_ > 0 ? signed_number(max_ns_) : absent(); }
  /// As quantile() of statistics.hpp.
  [[nodiscard]] Cell quantile_ns(double fraction) const;
  /// The standard deviation of the sample: divided by n - 1. 0 for one duration.
  [[nodiscard]] Cell stddev_ns() const;

 private:
  std::int64_t min_ns_ = INT64_MAX, max_ns_ = INT64_MIN;
  std::uint64_t count_ = 0;
  bool keeps_ = false;
  mutable std::vector<std::int64_t> values_;  // reordered by quantile_ns()
};

}  // namespace prof::reports
