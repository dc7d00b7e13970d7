// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TimeSums: the totals of rows that have a duration, and the columns that print them.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/report/rows/field.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {

struct TimeSums {
  std::uint64_t count = 0;
  std::uint64_t unknown = 0;  ///< Rows whose duration is not known.
  std::int64_t time_ns = 0, min_ns = INT64_MAX, max_ns = INT64_MIN;

  /// Row::record().duration_ns is its duration.
  template <typename Row>
  void add(const Row& row) {
    add(row.record().duration_ns);
  }
  void add(const std::optional<std::int64_t>& duration_ns);
  [[nodiscard]] bool any_known() const { return count > unknown; }
  /// Groups of more weight come first.
  [[nodiscard]] std::int64_t weight() const { return time_ns; }
};

// Absent where no duration is known.
Cell total_time(const TimeSums& sums, double unit_ns);
Cell mean_time(const TimeSums& sums);
Cell known_time(const TimeSums& sums, std::int64_t time_ns, bool in_us);

// clang-format off
inline constexpr SumField<TimeSums> kTimeSums[] = {
    {Column::integer("count", "Count", "", "rows in the group").grouped(), [](const TimeSums& s, const TimeSums&) { return number(s.count); }},
    {Column::real("time_us", "Time", "us", "total time of the rows; '≥': some are unknown", 3).grouped().wide(9), [](const TimeSums& s, const TimeSums&) { return total_time(s, 1e3); }, Role::kAlias},
    {Column::real("time_ns", "Time", "ns", "total time in nanoseconds", 0).grouped().wide(9), [](const TimeSums& s, const TimeSums&) { return total_time(s, 1); }},
    {Column::real("time_pct", "Time", "%", "share of the time of all rows shown", 1), [](const TimeSums& s, const TimeSums& all) { return s.any_known() ? percent(s.time_ns, all.time_ns) : absent(); }},
    {Column::real("mean_us", "Mean", "us", "mean time per row", 3).grouped(), [](const TimeSums& s, const TimeSums&) { return mean_time(s); }},
    {Column::real("min_us", "Min", "us", "shortest time", 0).grouped(), [](const TimeSums& s, const TimeSums&) { return known_time(s, s.min_ns, true); }, Role::kAlias},
    {Column::real("max_us", "Max", "us", "longest time", 0).grouped(), [](const TimeSums& s, const TimeSums&) { return known_time(s, s.max_ns, true); }, Role::kAlias},
    {Column::integer("min_ns", "Min", "ns", "shortest time").grouped(), [](const TimeSums& s, const TimeSums&) { return known_time(s, s.min_ns, false); }},
    {Column::integer("max_ns", "Max", "ns", "longest time").grouped(), [](const TimeSums& s, const TimeSums&) { return known_time(s, s.max_ns, false); }},
    {Column::integer("time_unknown", "Time?", "", "rows whose time is unknown").grouped(), [](const TimeSums& s, const TimeSums&) { return number(s.unknown); }},
};
// clang-format on

}  // namespace prof::reports
