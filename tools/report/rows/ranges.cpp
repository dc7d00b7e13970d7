// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX ranges as a row kind, by id: each thread's in the order of opening.
#include "tools/report/rows/ranges.hpp"

#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/time_sums.hpp"

namespace prof::reports {
namespace {

/// The id of a push/pop range; 0: it is a range of the process.
RangeId push_pop_of(const RangeSpanRow& range) {
  return range.kind == RangeRecord::Kind::kStartEnd ? 0 : range.id;
}

/// Absent: it never ended, or its times are unknown.
std::optional<std::int64_t> end_of(const RangeSpanRow& range) {
  if (!range.start_ns || !range.duration_ns) return std::nullopt;
  return sum_of_times(*range.start_ns, *range.duration_ns);
}

// clang-format off
constexpr auto kRangesFields = with_trace({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](RangeOpening& r) { return number(r.idx()); }},
    {Column::text("text", "Text", "text of the range").cut_end(16), [](RangeOpening& r) { return text(r.shown_range(r.record().text)); }, Role::kKey},
    {Column::text("domain", "Domain", "NVTX domain; absent: the default one").cut_end(8), [](RangeOpening& r) { return text(r.domain(r.record().domain)); }, Role::kKey},
    {Column::text("kind", "Kind", "push_pop: on a thread's stack; start_end: process-wide"), [](RangeOpening& r) { return text(r.record().kind == RangeRecord::Kind::kStartEnd ? "start_end" : "push_pop"); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "time from opening to closing, including nested ranges", 0).grouped().wide(9), [](RangeOpening& r) { return microseconds(r.record().duration_ns); }, Role::kAlias},
    {Column::time("time_ns", "Time", "time from opening to closing, including nested ranges").wide(9), [](RangeOpening& r) { return nanoseconds(r.record().duration_ns); }},
    {Column::instant("start_ns", "Start", "start, since the start of the trace"), [](RangeOpening& r) { return r.time(r.record().start_ns); }},
    {Column::integer("thread", "Thread", "", "thread that opened the range, as numbered in the trace"), [](RangeOpening& r) { return r.thread(r.record().thread); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](RangeOpening& r) { return r.os_tid(r.record().thread); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of the range in trace.db"), [](RangeOpening& r) { return number(r.record().id); }},
    {Column::integer("parent_id", "ParentId", "", "id of the enclosing range in trace.db"), [](RangeOpening& r) { return r.record().parent != 0 ? number(r.record().parent) : absent(); }},
    {Column::integer("category", "Category", "", "NVTX category"), [](RangeOpening& r) { return r.category(r.record().category); }, Role::kKey},
    {Column::real("payload", "Payload", "", "number set by the program", 3), [](RangeOpening& r) { return r.payload(r.record().payload); }, Role::kOnRequest},
    {Column::text("name", "Name", "text after the domain, as nsys shows it: DOMAIN:text, :text in the default domain").cut_end(16), [](RangeOpening& r) { return text(r.qualified(r.record().domain, r.record().text)); }, Role::kOnRequest},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](RangeOpening& r) { return r.threads().pid(r.record().thread); }, Role::kOnRequest},
});
// clang-format on

}  // namespace

std::optional<std::uint32_t> RangeOpening::capture() const {
  return captures().of_range(record().start_ns, end_of(record()), push_pop_of(record()));
}

bool RangeOpening::skip(const RangeSpanRow& range, const Captures& captures) {
  return range.kind == RangeRecord::Kind::kAlias ||
         !captures.lists_range(range.start_ns, end_of(range), push_pop_of(range));
}

constinit const RowKind kRanges = {
    .names = {"range", "ranges", "nvtx_ranges", "every opening of an NVTX range"},
    .fields = kRangesFields,
    .steps = Steps::kOfHost,
    .ranges = Ranges::kOfStack,
    .open = [](const RowInput& input) { return table_rows<RangeOpening>(kRanges, input); },
    .sums = &kTimeSums,
};

}  // namespace prof::reports
