// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Overhead as a row kind, in order of arrival.
#pragma once

#include "tools/report/rows/field.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/time_sums.hpp"

namespace prof::reports {

// clang-format off
inline constexpr auto kOverheadsFields = with_trace<TableRow<OverheadRow>>({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](TableRow<OverheadRow>& r) { return number(r.idx()); }},
    {Column::text("kind", "Kind", "CUPTI's name for the kind of overhead").cut_end(12), [](TableRow<OverheadRow>& r) { return text(r.record().kind); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "time spent", 0).grouped().wide(9), [](TableRow<OverheadRow>& r) { return microseconds(r.record().duration_ns); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "time spent").grouped().wide(9), [](TableRow<OverheadRow>& r) { return nanoseconds(r.record().duration_ns); }},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped(), [](TableRow<OverheadRow>& r) { return r.time(r.record().start_ns); }},
    {Column::integer("tid", "TId", "", "operating system id of the thread; absent: overhead of the process"), [](TableRow<OverheadRow>& r) { return r.record().os_tid != 0 ? number(r.record().os_tid) : absent(); }, Role::kKey},
});
// clang-format on

/// Time spent in CUDA or CUPTI itself.
struct Overheads : TableKind<OverheadRow> {
  static constexpr RowNames kNames = {"overhead", "overheads", "overheads"};
  static constexpr std::string_view kTable = "overhead";
  static constexpr std::span<const Field<Row>> kFields = kOverheadsFields;
  using Sums = TimeSums;
  static constexpr std::span<const SumField<TimeSums>> kSums = kTimeSums;
  using Cursor = TableCursor<Overheads>;
  static std::unique_ptr<RowCursor<OverheadRow>> open(TraceReader& trace) {
    return trace.overheads();
  }
};

}  // namespace prof::reports
