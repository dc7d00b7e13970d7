// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The captures of a run as a row kind, in time order.
#pragma once

#include "libprof/store/record_cursor.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {

/// Absent if it has not ended.
inline std::optional<std::int64_t> duration_of(const CaptureRecord& record) {
  if (record.start_ns == 0 || record.end_ns == 0) return std::nullopt;
  return difference_of_times(record.end_ns, record.start_ns);
}

// clang-format off
inline constexpr auto kCapturesFields = with_trace<TableRow<CaptureRecord>>({
    {Column::text("opener", "Began", "why it began").cut_end(12), [](TableRow<CaptureRecord>& r) { return text(r.record().opener); }, Role::kKey},
    {Column::text("closer", "Ended", "why it ended; absent: it has not").cut_end(12), [](TableRow<CaptureRecord>& r) { return text(r.record().closer); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "duration", 0).grouped().wide(9), [](TableRow<CaptureRecord>& r) { return microseconds(duration_of(r.record())); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "duration").grouped().wide(9), [](TableRow<CaptureRecord>& r) { return nanoseconds(duration_of(r.record())); }},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped(), [](TableRow<CaptureRecord>& r) { return r.recorded_time(r.record().start_ns); }},
});
// clang-format on

/// Parts of the run that were captured.
struct Captures : TableKind<CaptureRecord> {
  static constexpr RowNames kNames = {"capture", "captures", "captures"};
  static constexpr std::span<const Field<Row>> kFields = kCapturesFields;
  static constexpr std::string_view kTable = "capture";
  using Cursor = TableCursor<Captures>;
  static std::unique_ptr<RowCursor<CaptureRecord>> open(TraceReader& trace) {
    return records_of<CaptureRecord>(trace);
  }
};

}  // namespace prof::reports
