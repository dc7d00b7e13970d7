// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Time spent in CUDA or CUPTI itself as a row kind, in order of arrival.
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/time_sums.hpp"

namespace prof::reports {
namespace {

class Overhead final : public RecordRow<OverheadRow> {
 public:
  static constexpr std::string_view kTable = "overhead";
  using RecordRow::RecordRow;
  static std::unique_ptr<RowCursor<const OverheadRow>> open(TraceReader& trace) {
    return trace.overheads();
  }
};

// clang-format off
constexpr auto kOverheadsFields = with_trace({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](Overhead& r) { return number(r.idx()); }},
    {Column::text("kind", "Kind", "CUPTI's name for the kind of overhead").cut_end(12), [](Overhead& r) { return text(r.record().kind); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "time spent", 0).grouped().wide(9), [](Overhead& r) { return microseconds(r.record().duration_ns); }, Role::kAlias},
    {Column::time("time_ns", "Time", "time spent").wide(9), [](Overhead& r) { return nanoseconds(r.record().duration_ns); }},
    {Column::instant("start_ns", "Start", "start, since the start of the trace"), [](Overhead& r) { return r.time(r.record().start_ns); }},
    {Column::integer("tid", "TId", "", "operating system id of the thread; absent: overhead of the process"), [](Overhead& r) { return r.record().os_tid != 0 ? number(r.record().os_tid) : absent(); }, Role::kKey},
});
// clang-format on

}  // namespace

constinit const RowKind kOverheads = {
    .names = {"overhead", "overheads", "overheads", "time that CUDA or CUPTI took"},
    .fields = kOverheadsFields,
    .open = [](const RowInput& input) { return table_rows<Overhead>(kOverheads, input); },
    .sums = &kTimeSums,
};

}  // namespace prof::reports
