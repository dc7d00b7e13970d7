// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work under ranges as a row kind, in launch order: one row for each piece of GPU work and each
// closed range around its launch, outermost first; one without a range for work that has none.
// Ranges that were never closed have no time, and a program that leaks them has work under any
// number of them.
#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>

#include "analyzers/graphs/launched_work.hpp"
#include "tools/report/filter/qualified_text.hpp"
#include "tools/report/filter/thread_facts.hpp"
#include "tools/report/rows/kernel_names.hpp"
#include "tools/report/rows/range_name.hpp"
#include "tools/report/rows/range_stacks.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {
namespace {

/// One piece of work under one range and the source of its cells. Reused from row to row; cells may
/// point into it.
class RangeWorkRow final : public Row {
 public:
  RangeWorkRow(const TraceMember& trace, bool short_ranges)
      : trace_(trace), threads_(trace.reader), short_ranges_(short_ranges) {}

  /// Null: no range.
  void set(const GpuRow& work, const RangeRow* range) {
    work_ = &work;
    range_ = range;
  }
  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] const GpuRow& work() const { return *work_; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override {
    return capture_of(*work_, trace_.reader.captures());
  }
  /// The innermost range around the launch.
  [[nodiscard]] RangeId stack() const override { return work_->stack; }
  /// The time of the launch.
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override {
    return work_->launch_time_ns();
  }
  [[nodiscard]] const RangeRow* range() const { return range_; }
  [[nodiscard]] const ThreadFacts& threads() const { return threads_; }
  [[nodiscard]] std::string_view string(StringId id) const { return trace_.reader.string(id); }
  [[nodiscard]] Cell start_ns() const;
  [[nodiscard]] Cell time_ns() const;
  // Texts are valid until the next call.
  [[nodiscard]] Cell name();
  [[nodiscard]] Cell range_kind() const;
  [[nodiscard]] Cell domain() const;
  [[nodiscard]] Cell range_text();
  [[nodiscard]] Cell kernel();
  [[nodiscard]] Cell short_kernel();
  /// nvprof's word for a copy or set.
  [[nodiscard]] Cell memory_operation() const;
  [[nodiscard]] Cell kernel_id() const;

 private:
  [[nodiscard]] std::string shown_text() const;

  const TraceMember& trace_;
  ThreadFacts threads_;
  bool short_ranges_;
  const GpuRow* work_ = nullptr;
  const RangeRow* range_ = nullptr;
  std::string name_, range_text_;
  KernelNames kernels_;
};

class RangeWorkOfTrace final : public RowsOfTrace {
 public:
  RangeWorkOfTrace(const TraceMember& trace, const RowInput& input)
      : trace_(trace.reader),
        process_ranges_(trace.reader),
        cursor_(launched_work(trace.reader, TraceReader::Work::kKernelsAndCopies)),
        row_(trace, input.filter.short_ranges),
        tally_(input.tally) {}
  RangeWorkRow* next() override;
  [[nodiscard]] Status status() const override { return cursor_->status(); }

 private:
  bool next_work();
  void tell_what_is_left_out();

  TraceReader& trace_;
  ProcessRanges process_ranges_;
  std::unordered_map<std::uint32_t, RangeStack> stacks_;
  std::unique_ptr<GpuCursor> cursor_;
  RangeWorkRow row_;
  Tally& tally_;
  const GpuRow* work_ = nullptr;
  // Ranges of `work_` that have no row yet.
  std::span<const RangeRef> left_, process_left_;
};

Cell RangeWorkRow::start_ns() const {
  return work_->has_times() ? signed_number(on_axis(trace_, work_->start_ns)) : absent();
}

Cell RangeWorkRow::time_ns() const {
  return work_->has_times() ? signed_number(work_->duration_ns) : absent();
}

std::string RangeWorkRow::shown_text() const {
  std::string whole = range_->whole_text();
  return short_ranges_ ? name_of_range(whole).name : whole;
}

Cell RangeWorkRow::name() {
  if (range_ == nullptr) return absent();
  name_ = qualified_text(trace_.reader, range_->domain, shown_text());
  return text(name_);
}

Cell RangeWorkRow::range_kind() const {
  if (range_ == nullptr) return absent();
  return text(range_->kind == RangeRecord::Kind::kStartEnd ? "start_end" : "push_pop");
}

Cell RangeWorkRow::domain() const {
  return range_ != nullptr ? text(trace_.reader.domain_name(range_->domain)) : absent();
}

Cell RangeWorkRow::range_text() {
  if (range_ == nullptr) return absent();
  range_text_ = shown_text();
  return Cell{std::in_place_type<std::string_view>, range_text_};
}

Cell RangeWorkRow::kernel() {
  if (work_->kind != GpuRow::Kind::kKernel) return absent();
  return text(kernels_.of(trace_.reader, work_->config).full);
}

Cell RangeWorkRow::short_kernel() {
  if (work_->kind != GpuRow::Kind::kKernel) return absent();
  return text(kernels_.of(trace_.reader, work_->config).brief);
}

Cell RangeWorkRow::memory_operation() const {
  if (work_->kind == GpuRow::Kind::kKernel) return absent();
  return text(nvprof_name_of(*work_));
}

Cell RangeWorkRow::kernel_id() const {
  if (work_->kind != GpuRow::Kind::kKernel) return absent();
  return number(trace_.reader.config(work_->config).name.value);
}

bool RangeWorkOfTrace::next_work() {
  work_ = cursor_->next();
  if (work_ == nullptr) {
    tell_what_is_left_out();
    return false;
  }
  left_ = {};
  if (work_->launched) {
    RangeStack& stack = stacks_.try_emplace(work_->thread.value, trace_).first->second;
    stack.move_to(work_->stack);
    left_ = stack.closed();
  }
  process_left_ = process_ranges_.around(*work_);
  return true;
}

void RangeWorkOfTrace::tell_what_is_left_out() {
  const auto cut = [](const auto& stack) { return stack.second.left_out(); };
  if (std::ranges::any_of(stacks_, cut)) tally_.remark_once(RangeStack::kLeftOut);
  if (process_ranges_.left_out()) tally_.remark_once(ProcessRanges::kLeftOut);
}

RangeWorkRow* RangeWorkOfTrace::next() {
  if (left_.empty() && process_left_.empty()) {
    if (!next_work()) return nullptr;
    if (left_.empty() && process_left_.empty()) {
      row_.set(*work_, nullptr);
      return &row_;
    }
  }
  std::span<const RangeRef>& left = left_.empty() ? process_left_ : left_;
  row_.set(*work_, left.front().get());
  left = left.subspan(1);
  return &row_;
}

// clang-format off
constexpr auto kRangeWorkFields = with_trace({
    {Column::text("name", "Range", "text after the domain, as nsys shows it: DOMAIN:text, :text in the default domain; absent: in no closed range").cut_end(16), [](RangeWorkRow& r) { return r.name(); }, Role::kKey},
    {Column::text("range_kind", "Style", "push_pop: on a thread's stack; start_end: process-wide"), [](RangeWorkRow& r) { return r.range_kind(); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of the range in trace.db"), [](RangeWorkRow& r) { return r.range() != nullptr ? number(r.range()->id) : absent(); }},
    {Column::text("kind", "Kind", "kernel, memcpy or memset"), [](RangeWorkRow& r) { return text(r.work().kind == GpuRow::Kind::kKernel ? "kernel" : r.work().kind == GpuRow::Kind::kMemcpy ? "memcpy" : "memset"); }, Role::kKey},
    {Column::text("kernel_full", "Kernel name", "full demangled name of the kernel").cut_end(12), [](RangeWorkRow& r) { return r.kernel(); }, Role::kKey},
    {Column::integer("kernel_id", "KernelId", "", "id of the kernel's name in trace.db"), [](RangeWorkRow& r) { return r.kernel_id(); }, Role::kKey},
    {Column::instant("start_ns", "Start", "start on the GPU, since the start of the trace"), [](RangeWorkRow& r) { return r.start_ns(); }},
    {Column::time("time_ns", "Time", "time on the GPU"), [](RangeWorkRow& r) { return r.time_ns(); }},
    {Column::integer("thread", "Thread", "", "launching thread, as numbered in the trace"), [](RangeWorkRow& r) { return r.work().thread ? number(r.work().thread.value) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](RangeWorkRow& r) { return r.threads().os_tid(r.work().thread); }, Role::kKey},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](RangeWorkRow& r) { return r.threads().pid(r.work().thread); }, Role::kKey},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](RangeWorkRow& r) { return number(r.work().device); }, Role::kKey},
    {Column::integer("stream", "Stream", "", "CUDA's id of the stream"), [](RangeWorkRow& r) { return number(r.work().stream); }, Role::kKey},
    {Column::integer("correlation", "Correlation", "", "links the work to its launching call in trace.db"), [](RangeWorkRow& r) { return r.work().correlation != 0 ? number(r.work().correlation) : absent(); }},
    {Column::text("domain", "Domain", "NVTX domain of the range; absent: the default one").cut_end(8), [](RangeWorkRow& r) { return r.domain(); }, Role::kOnRequest},
    {Column::text("range", "Range text", "text of the range; absent: in no closed range").cut_end(16), [](RangeWorkRow& r) { return r.range_text(); }, Role::kOnRequest},
    {Column::text("kernel", "Kernel", "short name of the kernel").cut_end(12), [](RangeWorkRow& r) { return r.short_kernel(); }, Role::kOnRequest},
    {Column::text("memory_op", "Memory op", "copy or set, as nvprof names it: [CUDA memcpy HtoD]"), [](RangeWorkRow& r) { return r.memory_operation(); }, Role::kOnRequest},
    {Column::text("launch", "Launch", "CUDA function that launched the work"), [](RangeWorkRow& r) { return r.work().launched ? text(r.string(r.work().function)) : absent(); }, Role::kOnRequest},
    {Column::time("launch_ns", "Launch time", "duration of that call"), [](RangeWorkRow& r) { return r.work().launched ? signed_number(r.work().launch_duration_ns) : absent(); }, Role::kOnRequest},
});
// clang-format on

}  // namespace

constinit const RowKind kRangeWork = {
    .names = {"piece of GPU work", "GPU work under ranges", "nvtx_work",
              "GPU work, once for each closed range around its launch"},
    .fields = kRangeWorkFields,
    .steps = Steps::kOfHost,
    .ranges = Ranges::kOfStack,
    .open =
        [](const RowInput& input) { return rows_by_trace<RangeWorkOfTrace>(kRangeWork, input); },
};

}  // namespace prof::reports
