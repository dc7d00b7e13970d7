// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Waits as a row kind, in order of arrival: the program's for the GPU, and streams' for events.
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/time_sums.hpp"

namespace prof::reports {
namespace {

class Wait final : public RecordRow<SyncRow> {
 public:
  static constexpr std::string_view kTable = "sync";
  using RecordRow::RecordRow;
  static std::unique_ptr<RowCursor<const SyncRow>> open(TraceReader& trace) {
    return trace.synchronizations();
  }
};

/// "event", "stream_wait_event", "stream", "context"; empty: unknown.
std::string_view sync_type_name(SyncRecord::Type type) {
  switch (type) {
    case SyncRecord::Type::kUnknown:
      return "";
    case SyncRecord::Type::kEvent:
      return "event";
    case SyncRecord::Type::kStreamWaitEvent:
      return "stream_wait_event";
    case SyncRecord::Type::kStream:
      return "stream";
    case SyncRecord::Type::kContext:
      return "context";
  }
  return "";
}

// clang-format off
constexpr auto kSynchronizationsFields = with_trace({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](Wait& r) { return number(r.idx()); }},
    {Column::text("type", "Type", "what is waited for: event, stream or context; stream_wait_event: a stream waits"), [](Wait& r) { return text(sync_type_name(r.record().type)); }, Role::kKey},
    {Column::text("function", "Function", "CUDA function that waits").cut_end(12), [](Wait& r) { return r.record().called ? text(r.string(r.record().function)) : absent(); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "duration of the wait", 0).grouped().wide(9), [](Wait& r) { return microseconds(r.record().duration_ns); }, Role::kAlias},
    {Column::time("time_ns", "Time", "duration of the wait").wide(9), [](Wait& r) { return nanoseconds(r.record().duration_ns); }},
    {Column::instant("start_ns", "Start", "start, since the start of the trace"), [](Wait& r) { return r.time(r.record().start_ns); }},
    {Column::integer("thread", "Thread", "", "waiting thread, as numbered in the trace"), [](Wait& r) { return r.record().called ? r.thread(r.record().thread) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](Wait& r) { return r.record().called ? r.os_tid(r.record().thread) : absent(); }, Role::kKey},
    {Column::integer("context", "Context", "", "CUPTI's id of the context"), [](Wait& r) { return number(r.record().context); }, Role::kKey},
    {Column::integer("stream", "Stream", "", "CUPTI's id of the stream"), [](Wait& r) { return number(r.record().stream); }, Role::kKey},
    {Column::integer("event", "Event", "", "CUPTI's id of the event"), [](Wait& r) { return r.record().event != 0 ? number(r.record().event) : absent(); }},
    {Column::integer("correlation", "Correlation", "", "links the row to its call in trace.db"), [](Wait& r) { return r.record().correlation != 0 ? number(r.record().correlation) : absent(); }},
});
// clang-format on

}  // namespace

constinit const RowKind kSynchronizations = {
    .names = {"wait", "waits", "synchronizations", "every wait"},
    .fields = kSynchronizationsFields,
    .open = [](const RowInput& input) { return table_rows<Wait>(kSynchronizations, input); },
    .sums = &kTimeSums,
};

}  // namespace prof::reports
