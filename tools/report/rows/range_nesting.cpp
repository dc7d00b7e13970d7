// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges with what is inside them, as two row kinds: kNestedRanges, every push/pop range with the
// ranges opened directly inside it, and kProjectedRanges, every range under which GPU work was
// launched, with that work. Rows come in the order in which ranges turn out to be complete.
#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "analyzers/graphs/launched_work.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/filter/qualified_text.hpp"
#include "tools/report/filter/thread_facts.hpp"
#include "tools/report/rows/open_ranges.hpp"
#include "tools/report/rows/range_name.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"

namespace prof::reports {
namespace {

static_assert(RangePath::kMaxIds == 64);
constexpr std::string_view kPathsAreCut =
    "ranges lie more than 64 deep: paths show the innermost 64, names are indented by at most 64";

/// One range and the source of its cells. Reused from row to row; cells may point into it.
class NestedRow final : public Row {
 public:
  NestedRow(const TraceMember& trace, const RowInput& input)
      : trace_(trace),
        threads_(trace.reader),
        short_ranges_(input.filter.short_ranges),
        tally_(input.tally) {}

  void set(OpenRange range) { range_ = std::move(range); }
  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] const OpenRange& range() const { return range_; }
  [[nodiscard]] const RangeRow& opening() const { return *range_.opening; }
  [[nodiscard]] RangeId stack() const override { return opening().id; }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override {
    return opening().start_ns;
  }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override {
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
  Tally& tally_;
  OpenRange range_;
  std::string name_, path_;
};

/// The ranges of one trace, in complete form. Reads the trace once; keeps what is open.
class NestedRangesOfTrace final : public RowsOfTrace {
 public:
  NestedRangesOfTrace(const TraceMember& trace, const RowInput& input)
      : trace_(trace.reader), row_(trace, input) {}
  NestedRow* next() override;
  [[nodiscard]] Status status() const override { return trace_.status(); }

 private:
  bool read_one();

  TraceReader& trace_;
  NestedRow row_;
  RangeId last_ = 0;
  std::map<std::uint32_t, OpenRanges> threads_;
  std::deque<OpenRange> complete_;
};

/// The ranges around GPU work of one trace, in complete form.
class ProjectedRangesOfTrace final : public RowsOfTrace {
 public:
  ProjectedRangesOfTrace(const TraceMember& trace, const RowInput& input)
      : trace_(trace.reader),
        process_ranges_(trace.reader),
        work_(launched_work(trace.reader, TraceReader::Work::kKernelsAndCopies)),
        row_(trace, input),
        tally_(input.tally) {}
  NestedRow* next() override;
  [[nodiscard]] Status status() const override { return work_->status(); }

 private:
  bool read_one();

  TraceReader& trace_;
  ProcessRanges process_ranges_;
  std::unique_ptr<GpuCursor> work_;
  NestedRow row_;
  std::map<std::uint32_t, OpenRanges> threads_;
  std::deque<OpenRange> complete_;
  Tally& tally_;
};

/// The first complete range, after reading on until there is one.
template <typename ReadOne>
NestedRow* next_complete(std::deque<OpenRange>& complete,
                         std::map<std::uint32_t, OpenRanges>& threads, NestedRow& row,
                         const ReadOne& read_one) {
  while (complete.empty()) {
    if (read_one()) continue;
    for (auto& [thread, ranges] : threads) ranges.close_all(complete);
    threads.clear();
    if (complete.empty()) return nullptr;
  }
  row.set(std::move(complete.front()));
  complete.pop_front();
  return &row;
}

std::string_view NestedRow::name() {
  std::string text = opening().whole_text();
  if (short_ranges_) text = name_of_range(text).name;
  return name_ = qualified_text(trace_.reader, opening().domain, text);
}

std::string_view NestedRow::path() {
  path_.clear();
  if (range_.path.is_cut()) {
    path_ = ":...";
    tally_.remark_once(kPathsAreCut);
  }
  for (const RangeId id : range_.path.ids) path_.append(":").append(std::to_string(id));
  return path_;
}

namespace nested_cells {

Cell kind(NestedRow& row) {
  return text(row.opening().kind == RangeRecord::Kind::kStartEnd ? "start_end" : "push_pop");
}

Cell time_ns(NestedRow& row) {
  const RangeRow& range = row.opening();
  if (!range.end_ns) return absent();
  return signed_number(difference_of_times(*range.end_ns, range.start_ns));
}

Cell parent(NestedRow& row) {
  const RangeId parent = row.range().parent();
  return parent != 0 ? number(parent) : absent();
}

Cell level(NestedRow& row) {
  const std::size_t length = row.range().path.length;
  return length == 0 ? absent() : number(length - 1);
}

/// Absent if the duration of one of them is unknown.
Cell children_ns(NestedRow& row) {
  return row.range().children_known ? signed_number(row.range().children_ns) : absent();
}

Cell gpu_start_ns(NestedRow& row) {
  const auto& start_ns = row.range().work.gpu_start_ns;
  return start_ns ? row.time(*start_ns) : absent();
}

/// The time from the start of the first to the end of the last.
Cell gpu_time_ns(NestedRow& row) {
  const WorkInside& work = row.range().work;
  if (!work.gpu_start_ns || !work.gpu_end_ns) return absent();
  return signed_number(difference_of_times(*work.gpu_end_ns, *work.gpu_start_ns));
}

}  // namespace nested_cells

NestedRow* NestedRangesOfTrace::next() {
  return next_complete(complete_, threads_, row_, [this] { return read_one(); });
}

bool NestedRangesOfTrace::read_one() {
  const RangeRef range = trace_.range_after(last_);
  if (!range) return false;
  last_ = range->id;
  const bool is_listed = trace_.captures().lists_range(
      range->start_ns, range->end_ns, range->kind == RangeRecord::Kind::kStartEnd ? 0 : range->id);
  if (range->kind == RangeRecord::Kind::kPushPop && is_listed) {
    auto& thread = threads_.try_emplace(range->thread.value, trace_).first->second;
    thread.move_to(range->id, {}, complete_);
  }
  return true;
}

NestedRow* ProjectedRangesOfTrace::next() {
  return next_complete(complete_, threads_, row_, [this] { return read_one(); });
}

bool ProjectedRangesOfTrace::read_one() {
  const GpuRow* const work = work_->next();
  if (work == nullptr) {
    if (process_ranges_.left_out()) tally_.remark_once(ProcessRanges::kLeftOut);
    return false;
  }
  if (!work->launched) return true;
  OpenRanges& thread = threads_.try_emplace(work->thread.value, trace_).first->second;
  thread.move_to(work->stack, process_ranges_.around(*work), complete_);
  WorkInside inside{.gpu_ops = 1, .gpu_start_ns = {}, .gpu_end_ns = {}};
  if (work->has_times()) {
    inside.gpu_start_ns = work->start_ns;
    inside.gpu_end_ns = sum_of_times(work->start_ns, work->duration_ns);
  }
  thread.add(inside);
  return true;
}

// clang-format off
constexpr auto kNestedFields = with_trace({
    {Column::text("name", "Name", "text after the domain, as nsys shows it: DOMAIN:text, :text in the default domain").cut_end(16), [](NestedRow& r) { return text(r.name()); }, Role::kKey},
    {Column::instant("start_ns", "Start", "start, since the start of the trace"), [](NestedRow& r) { return r.time(r.opening().start_ns); }},
    {Column::time("time_ns", "Time", "time from opening to closing, including nested ranges"), [](NestedRow& r) { return nested_cells::time_ns(r); }},
    {Column::integer("range_id", "RangeId", "", "id of the range in trace.db"), [](NestedRow& r) { return number(r.opening().id); }},
    {Column::integer("parent_id", "ParentId", "", "id of the enclosing range"), [](NestedRow& r) { return nested_cells::parent(r); }},
    {Column::integer("level", "Level", "", "number of enclosing ranges"), [](NestedRow& r) { return nested_cells::level(r); }, Role::kKey},
    {Column::text("path", "Path", "ids of the enclosing ranges, outermost first, and of the range: :1:5:7; of deeper ones the innermost 64: :...:5:7"), [](NestedRow& r) { return text(r.path()); }},
    {Column::integer("children", "Children", "", "ranges opened directly inside it").grouped(), [](NestedRow& r) { return number(r.range().children); }},
    {Column::time("children_ns", "Children", "total time of those ranges"), [](NestedRow& r) { return nested_cells::children_ns(r); }},
    {Column::integer("thread", "Thread", "", "thread that opened the range, as numbered in the trace"), [](NestedRow& r) { return r.opening().thread ? number(r.opening().thread.value) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](NestedRow& r) { return r.threads().os_tid(r.opening().thread); }, Role::kKey},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](NestedRow& r) { return r.threads().pid(r.opening().thread); }, Role::kKey},
});
// clang-format on

// clang-format off
constexpr auto kProjectedFields = with_trace({
    {Column::text("name", "Name", "text after the domain, as nsys shows it: DOMAIN:text, :text in the default domain").cut_end(16), [](NestedRow& r) { return text(r.name()); }, Role::kKey},
    {Column::text("kind", "Kind", "push_pop: on a thread's stack; start_end: process-wide"), [](NestedRow& r) { return nested_cells::kind(r); }, Role::kKey},
    {Column::integer("gpu_ops", "GPU ops", "", "kernels, copies and sets launched inside the range").grouped(), [](NestedRow& r) { return number(r.range().work.gpu_ops); }},
    {Column::instant("gpu_start_ns", "GPU start", "start of the first of them on the GPU"), [](NestedRow& r) { return nested_cells::gpu_start_ns(r); }},
    {Column::time("gpu_time_ns", "GPU time", "time from there to the end of the last"), [](NestedRow& r) { return nested_cells::gpu_time_ns(r); }},
    {Column::instant("start_ns", "Start", "start, since the start of the trace"), [](NestedRow& r) { return r.time(r.opening().start_ns); }},
    {Column::time("time_ns", "Time", "time from opening to closing"), [](NestedRow& r) { return nested_cells::time_ns(r); }},
    {Column::integer("range_id", "RangeId", "", "id of the range in trace.db"), [](NestedRow& r) { return number(r.opening().id); }},
    {Column::integer("parent_id", "ParentId", "", "id of the enclosing range"), [](NestedRow& r) { return nested_cells::parent(r); }},
    {Column::integer("level", "Level", "", "number of enclosing ranges; absent: on no stack"), [](NestedRow& r) { return nested_cells::level(r); }, Role::kKey},
    {Column::text("path", "Path", "ids of the enclosing ranges, outermost first, and of the range: :1:5:7; of deeper ones the innermost 64: :...:5:7"), [](NestedRow& r) { return text(r.path()); }},
    {Column::integer("children", "Children", "", "ranges of this table directly inside it; absent: on no stack").grouped(), [](NestedRow& r) { return r.range().path.length == 0 ? absent() : number(r.range().children); }},
    {Column::integer("thread", "Thread", "", "thread that opened the range, as numbered in the trace"), [](NestedRow& r) { return r.opening().thread ? number(r.opening().thread.value) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](NestedRow& r) { return r.threads().os_tid(r.opening().thread); }, Role::kKey},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](NestedRow& r) { return r.threads().pid(r.opening().thread); }, Role::kKey},
});
// clang-format on

}  // namespace

constinit const RowKind kNestedRanges = {
    .names = {"nested range", "nested ranges", "nvtx_nesting",
              "every push/pop range, with the ranges directly inside it"},
    .fields = kNestedFields,
    .steps = Steps::kOfHost,
    .ranges = Ranges::kOfStack,
    .open =
        [](const RowInput& input) {
          return rows_by_trace<NestedRangesOfTrace>(kNestedRanges, input);
        },
};

constinit const RowKind kProjectedRanges = {
    .names = {"projected range", "projected ranges", "nvtx_projections",
              "every range that launched GPU work"},
    .fields = kProjectedFields,
    .steps = Steps::kOfHost,
    .ranges = Ranges::kOfStack,
    .open =
        [](const RowInput& input) {
          return rows_by_trace<ProjectedRangesOfTrace>(kProjectedRanges, input);
        },
};

}  // namespace prof::reports
