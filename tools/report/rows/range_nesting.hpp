// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges with what is inside them, as two row kinds: `NestedRanges`, every push/pop range with the
// ranges opened directly inside it, and `ProjectedRanges`, every range under which GPU work was
// launched, with that work. Rows come in the order in which ranges turn out to be complete.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "analyzers/graphs/launched_work.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/open_ranges.hpp"
#include "tools/report/rows/thread_facts.hpp"
#include "tools/report/rows/trace_wise.hpp"

namespace prof::reports {

/// One range and the source of its cells. Reused from row to row; cells may point into it.
class NestedRow {
 public:
  NestedRow(const TraceMember& trace, bool short_ranges)
      : trace_(trace), threads_(trace.reader), short_ranges_(short_ranges) {}

  void set(OpenRange range) { range_ = std::move(range); }
  [[nodiscard]] const TraceIdentity& trace() const { return trace_.identity; }
  [[nodiscard]] const OpenRange& range() const { return range_; }
  [[nodiscard]] const RangeRow& opening() const { return *range_.opening; }
  [[nodiscard]] RangeId stack() const { return opening().id; }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const { return opening().start_ns; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const {
    return trace_.reader.captures().of_range(opening().start_ns, opening().end_ns, opening().id);
  }
  [[nodiscard]] const ThreadFacts& threads() const { return threads_; }
  [[nodiscard]] Cell time(std::int64_t time_ns) const {
    return signed_number(on_axis(trace_, time_ns));
  }
  // Valid until the next call.
  [[nodiscard]] std::string_view name();
  [[nodiscard]] std::string_view path();

 private:
  const TraceMember& trace_;
  ThreadFacts threads_;
  bool short_ranges_;
  OpenRange range_;
  std::string name_, path_;
};

namespace nested_cells {

Cell kind(NestedRow& row);
Cell time_ns(NestedRow& row);
Cell parent(NestedRow& row);
Cell level(NestedRow& row);
/// Absent if the duration of one of them is unknown.
Cell children_ns(NestedRow& row);
Cell gpu_start_ns(NestedRow& row);
/// From the start of the first to the end of the last.
Cell gpu_time_ns(NestedRow& row);

}  // namespace nested_cells

/// The ranges of one trace, in complete form. Reads the trace once; keeps what is open.
class NestedRangesOfTrace {
 public:
  NestedRangesOfTrace(const TraceMember& trace, const Choice& choice)
      : trace_(trace.reader), stacks_(trace.reader), row_(trace, choice.short_ranges) {}
  NestedRow* next();
  [[nodiscard]] Status status() const { return trace_.status(); }

 private:
  bool read_one();

  TraceReader& trace_;
  RangeStacks stacks_;
  NestedRow row_;
  RangeId last_ = 0;
  std::map<std::uint32_t, OpenRanges> threads_;
  std::deque<OpenRange> complete_;
};

/// The same for the ranges around GPU work.
class ProjectedRangesOfTrace {
 public:
  ProjectedRangesOfTrace(const TraceMember& trace, const Choice& choice)
      : ranges_(trace.reader),
        work_(launched_work(trace.reader, TraceReader::Work::kKernelsAndCopies)),
        row_(trace, choice.short_ranges) {}
  NestedRow* next();
  [[nodiscard]] Status status() const { return work_->status(); }

 private:
  bool read_one();

  WorkRanges ranges_;
  std::unique_ptr<GpuCursor> work_;
  NestedRow row_;
  std::map<std::uint32_t, OpenRanges> threads_;
  std::deque<OpenRange> complete_;
};

// clang-format off
inline constexpr auto kNestedFields = with_trace<NestedRow>({
    {Column::text("name", "Name", "text after the domain, as nsys shows it: DOMAIN:text, :text in the default domain").cut_end(16), [](NestedRow& r) { return text(r.name()); }, Role::kKey},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped(), [](NestedRow& r) { return r.time(r.opening().start_ns); }},
    {Column::integer("time_ns", "Time", "ns", "time from opening to closing, including nested ranges").grouped(), nested_cells::time_ns},
    {Column::integer("range_id", "RangeId", "", "id of the range in trace.db"), [](NestedRow& r) { return number(r.opening().id); }},
    {Column::integer("parent_id", "ParentId", "", "id of the enclosing range"), nested_cells::parent},
    {Column::integer("level", "Level", "", "number of enclosing ranges"), nested_cells::level, Role::kKey},
    {Column::text("path", "Path", "ids of the enclosing ranges, outermost first, and of the range: :1:5:7"), [](NestedRow& r) { return text(r.path()); }},
    {Column::integer("children", "Children", "", "ranges opened directly inside it").grouped(), [](NestedRow& r) { return number(r.range().children); }},
    {Column::integer("children_ns", "Children", "ns", "total time of those ranges").grouped(), nested_cells::children_ns},
    {Column::integer("thread", "Thread", "", "thread that opened the range, as numbered in the trace"), [](NestedRow& r) { return r.opening().thread ? number(r.opening().thread.value) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](NestedRow& r) { return r.threads().os_tid(r.opening().thread); }, Role::kKey},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](NestedRow& r) { return r.threads().pid(r.opening().thread); }, Role::kKey},
});

inline constexpr auto kProjectedFields = with_trace<NestedRow>({
    {Column::text("name", "Name", "text after the domain, as nsys shows it: DOMAIN:text, :text in the default domain").cut_end(16), [](NestedRow& r) { return text(r.name()); }, Role::kKey},
    {Column::text("kind", "Kind", "push_pop: on a thread's stack; start_end: process-wide"), nested_cells::kind, Role::kKey},
    {Column::integer("gpu_ops", "GPU ops", "", "kernels, copies and sets launched inside the range").grouped(), [](NestedRow& r) { return number(r.range().gpu_ops); }},
    {Column::integer("gpu_start_ns", "GPU start", "ns", "start of the first of them on the GPU").grouped(), nested_cells::gpu_start_ns},
    {Column::integer("gpu_time_ns", "GPU time", "ns", "time from there to the end of the last").grouped(), nested_cells::gpu_time_ns},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped(), [](NestedRow& r) { return r.time(r.opening().start_ns); }},
    {Column::integer("time_ns", "Time", "ns", "time from opening to closing").grouped(), nested_cells::time_ns},
    {Column::integer("range_id", "RangeId", "", "id of the range in trace.db"), [](NestedRow& r) { return number(r.opening().id); }},
    {Column::integer("parent_id", "ParentId", "", "id of the enclosing range"), nested_cells::parent},
    {Column::integer("level", "Level", "", "number of enclosing ranges; absent: on no stack"), nested_cells::level, Role::kKey},
    {Column::text("path", "Path", "ids of the enclosing ranges, outermost first, and of the range: :1:5:7"), [](NestedRow& r) { return text(r.path()); }},
    {Column::integer("children", "Children", "", "ranges of this table directly inside it; absent: on no stack").grouped(), [](NestedRow& r) { return r.range().path.empty() ? absent() : number(r.range().children); }},
    {Column::integer("thread", "Thread", "", "thread that opened the range, as numbered in the trace"), [](NestedRow& r) { return r.opening().thread ? number(r.opening().thread.value) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](NestedRow& r) { return r.threads().os_tid(r.opening().thread); }, Role::kKey},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](NestedRow& r) { return r.threads().pid(r.opening().thread); }, Role::kKey},
});
// clang-format on

struct NestedRanges {
  using Row = NestedRow;
  static constexpr RowNames kNames = {"nested range", "nested ranges", "nvtx_nesting"};
  static constexpr bool kHasSteps = true;
  static constexpr std::span<const Field<Row>> kFields = kNestedFields;
  using Cursor = TraceWiseCursor<NestedRangesOfTrace, kNestedFields>;
};

struct ProjectedRanges {
  using Row = NestedRow;
  static constexpr RowNames kNames = {"projected range", "projected ranges", "nvtx_projections"};
  static constexpr bool kHasSteps = true;
  static constexpr std::span<const Field<Row>> kFields = kProjectedFields;
  using Cursor = TraceWiseCursor<ProjectedRangesOfTrace, kProjectedFields>;
};

}  // namespace prof::reports
