// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Operating system calls as a row kind, in order of arrival: of each thread in the order in which
// they returned.
#pragma once

#include "libprof/store/record_cursor.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {

/// A record's duration; absent if one of its times is unknown.
inline std::optional<std::int64_t> duration_of(const OsCallRecord& record) {
  if (record.start_ns == 0 || record.end_ns == 0) return std::nullopt;
  return difference_of_times(record.end_ns, record.start_ns);
}

// clang-format off
inline constexpr auto kOsCallsFields = with_trace<TableRow<OsCallRecord>>({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1").drop(4), [](TableRow<OsCallRecord>& r) { return number(r.idx()); }},
    {Column::text("function", "Function", "function of libc or of the threads library").cut_end(12), [](TableRow<OsCallRecord>& r) { return text(r.string(r.record().function)); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "duration of the call", 0).grouped().wide(9), [](TableRow<OsCallRecord>& r) { return microseconds(duration_of(r.record())); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "duration of the call").grouped().wide(9), [](TableRow<OsCallRecord>& r) { return nanoseconds(duration_of(r.record())); }},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped(), [](TableRow<OsCallRecord>& r) { return r.recorded_time(r.record().start_ns); }},
    {Column::integer("thread", "Thread", "", "calling thread, as numbered in the trace").drop(3), [](TableRow<OsCallRecord>& r) { return r.thread(r.record().thread); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](TableRow<OsCallRecord>& r) { return r.os_tid(r.record().thread); }, Role::kKey},
    {Column::text("thread_name", "Name", "name of that thread").cut_end(8).drop(5), [](TableRow<OsCallRecord>& r) { return r.threads().name(r.record().thread); }, Role::kKey},
    {Column::text("range", "Range", "text of the innermost range around the call").cut_end(12).drop(2), [](TableRow<OsCallRecord>& r) { return text(r.range_text(r.record().stack)); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of that range in trace.db"), [](TableRow<OsCallRecord>& r) { return r.record().stack != 0 ? number(r.record().stack) : absent(); }},
});
// clang-format on

/// Calls that may block.
struct OsCalls : TableKind<OsCallRecord> {
  static constexpr RowNames kNames = {"operating system call", "operating system calls",
                                      "os_calls"};
  static constexpr std::span<const Field<Row>> kFields = kOsCallsFields;
  static constexpr std::string_view kTable = "os_call";
  using Cursor = TableCursor<OsCalls>;
  static std::unique_ptr<RowCursor<OsCallRecord>> open(TraceReader& trace) {
    return records_of<OsCallRecord>(trace);
  }
};

}  // namespace prof::reports
