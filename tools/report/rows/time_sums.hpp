// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TimeSums: the totals of rows that have a duration, and the columns that print them.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/report/rows/durations.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {

struct TimeSums {
  std::uint64_t count = 0;
  std::uint64_t unknown = 0;  ///< Rows whose duration is not known.
  std::int64_t time_ns = 0;
  Durations durations;

  /// Row::record().duration_ns is its duration.
  template <typename Row>
  void add(const Row& row) {
    add(row.record().duration_ns);
  }
  void add(const std::optional<std::int64_t>& duration_ns);
  void merge(const TimeSums& other);
  [[nodiscard]] bool any_known() const { return count > unknown; }
  /// Groups of more weight come first.
  [[nodiscard]] std::int64_t weight() const { return time_ns; }
  /// All but the durations.
  template <typename Self, typename Visit>
  static void each_part(Self& sums, const Visit& visit) {
    visit(sums.count);
    visit(sums.unknown);
    visit(sums.time_ns);
  }
};

// Absent where no duration is known.
Cell total_time(const TimeSums& sums, double unit_ns);
Cell mean_time(const TimeSums& sums);

// clang-format off
inline constexpr SumField<TimeSums> kTimeSums[] = {
    {Column::integer("count", "Count", "", "rows in the group").grouped().drop(1), [](const TimeSums& s, const TimeSums&) { return number(s.count); }},
    {Column::real("time_us", "Time", "us", "total time of the rows; '≥': some are unknown", 3).grouped().wide(9), [](const TimeSums& s, const TimeSums&) { return total_time(s, 1e3); }, Role::kAlias},
    {Column::real("time_ns", "Time", "ns", "total time in nanoseconds", 0).grouped().wide(9), [](const TimeSums& s, const TimeSums&) { return total_time(s, 1); }},
    {Column::real("time_pct", "Time", "%", "share of the time of all rows shown", 1).drop(2), [](const TimeSums& s, const TimeSums& all) { return s.any_known() ? percent(s.time_ns, all.time_ns) : absent(); }},
    {Column::real("mean_us", "Mean", "us", "mean time per row", 3).grouped().drop(3), [](const TimeSums& s, const TimeSums&) { return mean_time(s); }},
    {Column::real("min_us", "Min", "us", "shortest time", 0).grouped().drop(7), [](const TimeSums& s, const TimeSums&) { return s.durations.min_us(); }, Role::kAlias},
    {Column::real("max_us", "Max", "us", "longest time", 0).grouped().drop(6), [](const TimeSums& s, const TimeSums&) { return s.durations.max_us(); }, Role::kAlias},
    {Column::integer("min_ns", "Min", "ns", "shortest time").grouped(), [](const TimeSums& s, const TimeSums&) { return s.durations.min_ns(); }},
    {Column::integer("max_ns", "Max", "ns", "longest time").grouped(), [](const TimeSums& s, const TimeSums&) { return s.durations.max_ns(); }},
    {Column::integer("time_unknown", "Time?", "", "rows whose time is unknown").grouped(), [](const TimeSums& s, const TimeSums&) { return number(s.unknown); }},
    {Column::real("median_us", "Median", "us", "median time", 3).grouped(), [](const TimeSums& s, const TimeSums&) { return s.durations.quantile_us(0.5); }, Role::kOnRequest, true},
    {Column::real("stddev_us", "StdDev", "us", "standard deviation of the sample; 0 for one", 3).grouped(), [](const TimeSums& s, const TimeSums&) { return s.durations.stddev_us(); }, Role::kOnRequest, true},
    {Column::real("p95_us", "P95", "us", "95th percentile of the times, interpolated linearly", 3).grouped(), [](const TimeSums& s, const TimeSums&) { return s.durations.quantile_us(0.95); }, Role::kOnRequest, true},
};
// clang-format on

}  // namespace prof::reports
