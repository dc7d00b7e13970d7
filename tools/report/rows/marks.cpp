// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX marks and samples of counters as a row kind, in order of arrival.
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/table_row.hpp"

namespace prof::reports {
namespace {

class Mark final : public RecordRow<MarkRow> {
 public:
  static constexpr std::string_view kTable = "mark";
  using RecordRow::RecordRow;
  static std::unique_ptr<RowCursor<const MarkRow>> open(TraceReader& trace) {
    return trace.marks();
  }
  [[nodiscard]] RangeId stack() const override { return record().parent; }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override { return own_time_ns(); }
};

// clang-format off
constexpr auto kMarksFields = with_trace({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](Mark& r) { return number(r.idx()); }},
    {Column::text("text", "Text", "text of the mark").cut_end(16), [](Mark& r) { return text(r.record().text); }, Role::kKey},
    {Column::text("domain", "Domain", "NVTX domain; absent: the default one").cut_end(8).drop(5), [](Mark& r) { return text(r.domain(r.record().domain)); }, Role::kKey},
    {Column::instant("start_ns", "Time", "time of the mark, since the start of the trace"), [](Mark& r) { return r.time(r.record().time_ns); }},
    {Column::integer("thread", "Thread", "", "thread that set the mark, as numbered in the trace").drop(3), [](Mark& r) { return r.thread(r.record().thread); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](Mark& r) { return r.os_tid(r.record().thread); }, Role::kKey},
    {Column::integer("category", "Category", "", "NVTX category"), [](Mark& r) { return r.category(r.record().category); }, Role::kKey},
    {Column::real("payload", "Payload", "", "number set by the program", 3).drop(1), [](Mark& r) { return r.payload(r.record().payload); }},
    {Column::text("range", "Range", "text of the innermost range around the mark").cut_end(12).drop(2), [](Mark& r) { return text(r.range_text(r.record().parent)); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of that range in trace.db"), [](Mark& r) { return r.record().parent != 0 ? number(r.record().parent) : absent(); }},
});
// clang-format on

}  // namespace

constinit const RowKind kMarks = {
    .names = {"mark", "marks", "nvtx_marks", "every NVTX mark and sample of a counter"},
    .fields = kMarksFields,
    .steps = Steps::kOfHost,
    .ranges = Ranges::kOfStack,
    .open = [](const RowInput& input) { return table_rows<Mark>(kMarks, input); },
};

}  // namespace prof::reports
