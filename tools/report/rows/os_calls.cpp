// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Operating system calls that may block as a row kind, in order of arrival: of each thread in the
// order in which they returned.
#include "libprof/store/read/record_cursor.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

class OsCall final : public RecordRow<OsCallRecord> {
 public:
  static constexpr std::string_view kTable = "os_call";
  using RecordRow::RecordRow;
  static std::unique_ptr<RowCursor<const OsCallRecord>> open(TraceReader& trace) {
    return records_of<OsCallRecord>(trace);
  }
  [[nodiscard]] RangeId stack() const override { return record().stack; }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override { return own_time_ns(); }
};

/// A record's duration; absent if one of its times is unknown.
std::optional<std::int64_t> duration_of(const OsCallRecord& record) {
  if (record.start_ns == 0 || record.end_ns == 0) return std::nullopt;
  return difference_of_times(record.end_ns, record.start_ns);
}

// clang-format off
constexpr auto kOsCallsFields = with_trace({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](OsCall& r) { return number(r.idx()); }},
    {Column::text("function", "Function", "function of libc or of the threads library").cut_end(12), [](OsCall& r) { return text(r.string(r.record().function)); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "duration of the call", 0).grouped().wide(9), [](OsCall& r) { return microseconds(duration_of(r.record())); }, Role::kAlias},
    {Column::time("time_ns", "Time", "duration of the call").wide(9), [](OsCall& r) { return nanoseconds(duration_of(r.record())); }},
    {Column::instant("start_ns", "Start", "start, since the start of the trace"), [](OsCall& r) { return r.recorded_time(r.record().start_ns); }},
    {Column::integer("thread", "Thread", "", "calling thread, as numbered in the trace").drop(3), [](OsCall& r) { return r.thread(r.record().thread); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](OsCall& r) { return r.os_tid(r.record().thread); }, Role::kKey},
    {Column::text("thread_name", "Name", "name of that thread").cut_end(8).drop(5), [](OsCall& r) { return r.threads().name(r.record().thread); }, Role::kKey},
    {Column::text("range", "Range", "text of the innermost range around the call").cut_end(12).drop(2), [](OsCall& r) { return text(r.range_text(r.record().stack)); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of that range in trace.db"), [](OsCall& r) { return r.record().stack != 0 ? number(r.record().stack) : absent(); }},
});
// clang-format on

}  // namespace

constinit const RowKind kOsCalls = {
    .names = {"operating system call", "operating system calls", "os_calls",
              "every operating system call",
              "there are no operating system calls: prof-run --trace osrt records them"},
    .fields = kOsCallsFields,
    .steps = Steps::kOfHost,
    .ranges = Ranges::kOfStack,
    .open = [](const RowInput& input) { return table_rows<OsCall>(kOsCalls, input); },
};

}  // namespace prof::reports
