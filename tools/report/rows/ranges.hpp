// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX ranges as a row kind, by id: each thread's in the order of opening.
#pragma once

#include "tools/report/rows/field.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/time_sums.hpp"

namespace prof::reports {

// clang-format off
inline constexpr auto kRangesFields = with_trace<TableRow<RangeSpanRow>>({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](TableRow<RangeSpanRow>& r) { return number(r.idx()); }},
    {Column::text("text", "Text", "text of the range").cut_end(16), [](TableRow<RangeSpanRow>& r) { return text(r.shown_range(r.record().text)); }, Role::kKey},
    {Column::text("domain", "Domain", "NVTX domain; absent: the default one").cut_end(8), [](TableRow<RangeSpanRow>& r) { return text(r.domain(r.record().domain)); }, Role::kKey},
    {Column::text("kind", "Kind", "push_pop: on a thread's stack; start_end: process-wide"), [](TableRow<RangeSpanRow>& r) { return text(r.record().kind == RangeRecord::Kind::kStartEnd ? "start_end" : "push_pop"); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "time from opening to closing, including nested ranges", 0).grouped().wide(9), [](TableRow<RangeSpanRow>& r) { return microseconds(r.record().duration_ns); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "time from opening to closing, including nested ranges").grouped().wide(9), [](TableRow<RangeSpanRow>& r) { return nanoseconds(r.record().duration_ns); }},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped(), [](TableRow<RangeSpanRow>& r) { return r.time(r.record().start_ns); }},
    {Column::integer("thread", "Thread", "", "thread that opened the range, as numbered in the trace"), [](TableRow<RangeSpanRow>& r) { return r.thread(r.record().thread); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](TableRow<RangeSpanRow>& r) { return r.os_tid(r.record().thread); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of the range in trace.db"), [](TableRow<RangeSpanRow>& r) { return number(r.record().id); }},
    {Column::integer("parent_id", "ParentId", "", "id of the enclosing range in trace.db"), [](TableRow<RangeSpanRow>& r) { return r.record().parent != 0 ? number(r.record().parent) : absent(); }},
    {Column::text("name", "Name", "text after the domain, as nsys shows it: DOMAIN:text, :text in the default domain").cut_end(16), [](TableRow<RangeSpanRow>& r) { return text(r.qualified(r.record().domain, r.record().text)); }, Role::kOnRequest},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](TableRow<RangeSpanRow>& r) { return r.threads().pid(r.record().thread); }, Role::kOnRequest},
});
// clang-format on

/// NVTX ranges.
struct Ranges : TableKind<RangeSpanRow> {
  static constexpr RowNames kNames = {"range", "ranges", "nvtx_ranges"};
  static constexpr std::string_view kTable = "range";
  static constexpr std::uint64_t key(const RangeSpanRow& range, std::uint64_t) { return range.id; }
  static constexpr std::span<const Field<Row>> kFields = kRangesFields;
  using Sums = TimeSums;
  static constexpr std::span<const SumField<TimeSums>> kSums = kTimeSums;
  using Cursor = TableCursor<Ranges>;
  static std::unique_ptr<RowCursor<RangeSpanRow>> open(TraceReader& trace) {
    return trace.all_ranges();
  }
  /// An alias repeats an opening that has its own row.
  static bool skip(const RangeSpanRow& range, const Captures& captures) {
    return range.kind == RangeRecord::Kind::kAlias ||
           !captures.lists_range(range.start_ns, end_of(range), push_pop_of(range));
  }
};

}  // namespace prof::reports
