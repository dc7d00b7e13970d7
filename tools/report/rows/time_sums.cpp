// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The totals of rows that have a duration, and the columns that print them, one line each.
#include "tools/report/rows/time_sums.hpp"

#include "libprof/base/ordered_bits.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/rows/row.hpp"
#include "tools/report/rows/sums.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

struct TimeSum {
  std::uint64_t count = 0;
  std::uint64_t unknown = 0;  ///< Rows whose duration is not known.
  std::int64_t time_ns = 0;

  [[nodiscard]] bool any_known() const { return count > unknown; }
};

class TimeSums final : public PlainSums<TimeSums, TimeSum> {
 public:
  void add(Row& row) override {
    const std::optional<std::int64_t> duration_ns = row.duration_ns();
    ++count;
    if (!duration_ns) {
      ++unknown;
      return;
    }
    add_time(time_ns, *duration_ns);
    durations.add(*duration_ns);
  }
  void merge(const Sums& others) override {
    const auto& other = static_cast<const TimeSums&>(others);
    count += other.count;
    unknown += other.unknown;
    add_time(time_ns, other.time_ns);
    durations.merge(other.durations);
  }
  [[nodiscard]] Weight weight() const override { return {ordered_bits(time_ns), 0}; }
};

// Absent where no duration is known.
Cell total_time(const TimeSums& sums, double unit_ns) {
  if (!sums.any_known()) return absent();
  const double total = static_cast<double>(sums.time_ns) / unit_ns;
  return sums.unknown > 0 ? Cell{AtLeast{total}} : real(total);
}

Cell mean_time(const TimeSums& sums) {
  return sums.any_known() ? mean_ns(sums.time_ns, sums.count - sums.unknown) : absent();
}

// clang-format off
constexpr SumField kTimeSumFields[] = {
    {Column::integer("count", "Count", "", "rows in the group").grouped().drop(1), [](const TimeSums& s, const TimeSums&) { return number(s.count); }},
    {Column::real("time_us", "Time", "us", "total time of the rows; '≥': some are unknown", 3).grouped().wide(9), [](const TimeSums& s, const TimeSums&) { return total_time(s, 1e3); }, Role::kAlias},
    {Column::time("time_ns", "Time", "total time", Column::Type::kReal).wide(9), [](const TimeSums& s, const TimeSums&) { return total_time(s, 1); }},
    {Column::real("time_pct", "Time", "%", "share of the time of all rows shown", 1).drop(2), [](const TimeSums& s, const TimeSums& all) { return s.any_known() ? percent(s.time_ns, all.time_ns) : absent(); }},
    {Column::time("mean_ns", "Mean", "mean time per row", Column::Type::kReal).drop(3), [](const TimeSums& s, const TimeSums&) { return mean_time(s); }},
    {Column::time("min_ns", "Min", "shortest time").drop(7), [](const TimeSums& s, const TimeSums&) { return s.durations.min_ns(); }},
    {Column::time("max_ns", "Max", "longest time").drop(6), [](const TimeSums& s, const TimeSums&) { return s.durations.max_ns(); }},
    {Column::integer("time_unknown", "Time?", "", "rows whose time is unknown").grouped(), [](const TimeSums& s, const TimeSums&) { return number(s.unknown); }},
    {Column::time("median_ns", "Median", "median time", Column::Type::kReal), [](const TimeSums& s, const TimeSums&) { return s.durations.quantile_ns(0.5); }, Role::kOnRequest, true},
    {Column::time("stddev_ns", "StdDev", "standard deviation of the sample; 0 for one", Column::Type::kReal), [](const TimeSums& s, const TimeSums&) { return s.durations.stddev_ns(); }, Role::kOnRequest, true},
    {Column::time("p95_ns", "P95", "95th percentile of the times, interpolated linearly", Column::Type::kReal), [](const TimeSums& s, const TimeSums&) { return s.durations.quantile_ns(0.95); }, Role::kOnRequest, true},
};
// clang-format on

}  // namespace

constinit const SumKind kTimeSums = {
    .fields = kTimeSumFields,
    .empty = []() -> std::unique_ptr<Sums> { return std::make_unique<TimeSums>(); },
};

}  // namespace prof::reports
