// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Waits as a row kind, in order of arrival.
#pragma once

#include "tools/report/rows/field.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/time_sums.hpp"

namespace prof::reports {

/// "event", "stream_wait_event", "stream", "context"; empty: unknown.
std::string_view sync_type_name(SyncRecord::Type type);

// clang-format off
inline constexpr auto kSynchronizationsFields = with_trace<TableRow<SyncRow>>({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](TableRow<SyncRow>& r) { return number(r.idx()); }},
    {Column::text("type", "Type", "what is waited for: event, stream or context; stream_wait_event: a stream waits"), [](TableRow<SyncRow>& r) { return text(sync_type_name(r.record().type)); }, Role::kKey},
    {Column::text("function", "Function", "CUDA function that waits").cut_end(12), [](TableRow<SyncRow>& r) { return r.record().called ? text(r.string(r.record().function)) : absent(); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "duration of the wait", 0).grouped().wide(9), [](TableRow<SyncRow>& r) { return microseconds(r.record().duration_ns); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "duration of the wait").grouped().wide(9), [](TableRow<SyncRow>& r) { return nanoseconds(r.record().duration_ns); }},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped(), [](TableRow<SyncRow>& r) { return r.time(r.record().start_ns); }},
    {Column::integer("thread", "Thread", "", "waiting thread, as numbered in the trace"), [](TableRow<SyncRow>& r) { return r.record().called ? r.thread(r.record().thread) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](TableRow<SyncRow>& r) { return r.record().called ? r.os_tid(r.record().thread) : absent(); }, Role::kKey},
    {Column::integer("context", "Context", "", "CUPTI's id of the context"), [](TableRow<SyncRow>& r) { return number(r.record().context); }, Role::kKey},
    {Column::integer("stream", "Stream", "", "CUPTI's id of the stream"), [](TableRow<SyncRow>& r) { return number(r.record().stream); }, Role::kKey},
    {Column::integer("event", "Event", "", "CUPTI's id of the event"), [](TableRow<SyncRow>& r) { return r.record().event != 0 ? number(r.record().event) : absent(); }},
    {Column::integer("correlation", "Correlation", "", "links the row to its call in trace.db"), [](TableRow<SyncRow>& r) { return r.record().correlation != 0 ? number(r.record().correlation) : absent(); }},
});
// clang-format on

/// The program's waits for the GPU, and streams' waits for events.
struct Synchronizations : TableKind<SyncRow> {
  static constexpr RowNames kNames = {"wait", "waits", "synchronizations"};
  static constexpr std::string_view kTable = "sync";
  static constexpr std::span<const Field<Row>> kFields = kSynchronizationsFields;
  using Sums = TimeSums;
  static constexpr std::span<const SumField<TimeSums>> kSums = kTimeSums;
  using Cursor = TableCursor<Synchronizations>;
  static std::unique_ptr<RowCursor<SyncRow>> open(TraceReader& trace) {
    return trace.synchronizations();
  }
};

}  // namespace prof::reports
