// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX marks as a row kind, in order of arrival.
#pragma once

#include "tools/report/rows/field.hpp"
#include "tools/report/rows/table_row.hpp"

namespace prof::reports {

/// The typed value of a mark's payload.
Cell payload_cell(const Payload& payload);

// clang-format off
inline constexpr auto kMarksFields = with_trace<TableRow<MarkRow>>({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1").drop(4), [](TableRow<MarkRow>& r) { return number(r.idx()); }},
    {Column::text("text", "Text", "text of the mark").cut_end(16), [](TableRow<MarkRow>& r) { return text(r.record().text); }, Role::kKey},
    {Column::text("domain", "Domain", "NVTX domain; absent: the default one").cut_end(8).drop(5), [](TableRow<MarkRow>& r) { return text(r.domain(r.record().domain)); }, Role::kKey},
    {Column::integer("start_ns", "Time", "ns", "time of the mark, since the start of the trace").grouped(), [](TableRow<MarkRow>& r) { return r.time(r.record().time_ns); }},
    {Column::integer("thread", "Thread", "", "thread that set the mark, as numbered in the trace").drop(3), [](TableRow<MarkRow>& r) { return r.thread(r.record().thread); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](TableRow<MarkRow>& r) { return r.os_tid(r.record().thread); }, Role::kKey},
    {Column::integer("category", "Category", "", "NVTX category"), [](TableRow<MarkRow>& r) { return r.record().category != 0 ? number(r.record().category) : absent(); }, Role::kKey},
    {Column::real("payload", "Payload", "", "number set by the program", 3).drop(1), [](TableRow<MarkRow>& r) { return payload_cell(r.record().payload); }},
    {Column::text("range", "Range", "text of the innermost range around the mark").cut_end(12).drop(2), [](TableRow<MarkRow>& r) { return text(r.range_text(r.record().parent)); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of that range in trace.db"), [](TableRow<MarkRow>& r) { return r.record().parent != 0 ? number(r.record().parent) : absent(); }},
});
// clang-format on

/// NVTX marks.
struct Marks : TableKind<MarkRow> {
  static constexpr RowNames kNames = {"mark", "marks", "nvtx_marks"};
  static constexpr std::string_view kTable = "mark";
  static constexpr std::span<const Field<Row>> kFields = kMarksFields;
  using Cursor = TableCursor<Marks>;
  static std::unique_ptr<RowCursor<MarkRow>> open(TraceReader& trace) { return trace.marks(); }
};

}  // namespace prof::reports
