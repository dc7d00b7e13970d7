// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of durations, see time_sums.hpp.
#include "tools/report/rows/time_sums.hpp"

#include "libprof/model/times.hpp"

namespace prof::reports {

void TimeSums::add(const std::optional<std::int64_t>& duration_ns) {
  ++count;
  if (!duration_ns) {
    ++unknown;
    return;
  }
  time_ns = sum_of_times(time_ns, *duration_ns);
  durations.add(*duration_ns);
}

void TimeSums::merge(const TimeSums& other) {
  count += other.count;
  unknown += other.unknown;
  time_ns = sum_of_times(time_ns, other.time_ns);
  durations.merge(other.durations);
}

Cell total_time(const TimeSums& sums, double unit_ns) {
  if (!sums.any_known()) return absent();
  const double total = static_cast<double>(sums.time_ns) / unit_ns;
  return sums.unknown > 0 ? Cell{AtLeast{total}} : real(total);
}

Cell mean_time(const TimeSums& sums) {
  return sums.any_known() ? mean_us(sums.time_ns, sums.count - sums.unknown) : absent();
}

}  // namespace prof::reports
