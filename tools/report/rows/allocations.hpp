// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations and releases of memory as a row kind, in order of time, with the layer and op of the
// call and how much is allocated after it. Sorted by time, in temporary files beyond 64 MB. Filters
// choose rows: all of them count as allocated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "analyzers/attribution.hpp"
#include "analyzers/process_steps.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "analyzers/timeline/live_memory.hpp"
#include "libprof/store/call_lookup.hpp"
#include "tools/common/record_sort.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/thread_facts.hpp"
#include "tools/report/rows/trace_wise.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {

/// An allocation or a release, and the source of its cells.
class AllocationRow {
 public:
  explicit AllocationRow(const TraceMember& trace) : trace_(trace), threads_(trace.reader) {}

  AllocationRecord record;
  LiveMemory::Change change;
  FoundCall call;
  std::shared_ptr<const OpAttribution> op;  ///< What work launched by the call would have.
  std::optional<std::int64_t> step;
  std::optional<std::uint32_t> part;  ///< The captured part of the run.

  [[nodiscard]] const TraceIdentity& trace() const { return trace_.identity; }
  [[nodiscard]] RangeId stack() const { return call.range; }
  /// Since the start of the trace; absent: unknown.
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const;
  [[nodiscard]] std::optional<std::uint32_t> capture() const { return part; }
  [[nodiscard]] Cell time(const std::optional<std::int64_t>& time_ns) const {
    return time_ns ? signed_number(on_axis(trace_, *time_ns)) : absent();
  }
  [[nodiscard]] std::optional<std::int64_t> allocated_ns() const;
  [[nodiscard]] std::string_view string(StringId id) const { return trace_.reader.string(id); }
  [[nodiscard]] const ThreadFacts& threads() const { return threads_; }

 private:
  const TraceMember& trace_;
  ThreadFacts threads_;
};

class AllocationsOfTrace {
 public:
  AllocationsOfTrace(const TraceMember& trace, const RowInput& input);
  AllocationRow* next();
  [[nodiscard]] Status status() const { return status_; }

 private:
  using Sort = tools::RecordSort<tools::NeverBefore>;

  /// What ranges mean. Only for traces that have rows: it reads some of the ranges.
  struct Host {
    Host(TraceReader& trace, const Choice& choice);
    StackWalker stacks;
    ProcessSteps process_steps;
  };

  void read(const Choice& choice);
  void attribute();

  const TraceMember& trace_;
  Sort by_time_;
  std::optional<Host> host_;
  CallLookup calls_;
  LiveMemory memory_;
  AllocationRow row_;
  Status status_;
};

/// "allocate", "release"; empty: unknown.
std::string_view operation_name(AllocationRecord::Operation operation);

namespace allocation_cells {

inline Cell id(const std::optional<std::uint32_t>& id) { return id ? number(*id) : absent(); }
inline Cell size(const std::optional<std::uint64_t>& bytes) {
  return bytes ? number(*bytes) : absent();
}

}  // namespace allocation_cells

// clang-format off
inline constexpr auto kAllocationFields = with_trace<AllocationRow>({
    {Column::integer("start_ns", "Time", "ns", "time of the call, since the start of the trace").grouped(), [](AllocationRow& r) { return r.time(r.host_time_ns()); }},
    {Column::text("operation", "Operation", "allocate or release"), [](AllocationRow& r) { return text(operation_name(r.record.operation)); }, Role::kKey},
    {Column::text("memory", "Memory", "kind of memory: device, pinned, managed, ..."), [](AllocationRow& r) { return text(memory_name(r.change.memory)); }, Role::kKey},
    {Column::integer("bytes", "Bytes", "B", "size of the memory").grouped(), [](AllocationRow& r) { return number(r.change.bytes); }},
    {Column::integer("live_bytes", "Live", "B", "allocated after it, of the same GPU and kind of memory, since the captured part of the run began").grouped(), [](AllocationRow& r) { return allocation_cells::size(r.change.live_bytes); }},
    {Column::text("function", "Call", "CUDA function").cut_end(12), [](AllocationRow& r) { return r.call.is_known ? text(r.string(r.call.function)) : absent(); }, Role::kKey},
    {Column::text("dir", "Direction", "fprop, bprop or update (the optimizer)"), [](AllocationRow& r) { return text(name(r.op->direction)); }, Role::kKey},
    {Column::text("layer", "Layer", "path of the layers around the call, separated by ':'").cut_front(14), [](AllocationRow& r) { return text(r.op->layer); }, Role::kKey},
    {Column::text("op", "Op", "op around the call").cut_end(10), [](AllocationRow& r) { return text(r.op->op); }, Role::kKey},
    {Column::integer("step", "Step", "", "number of the training step around the call"), [](AllocationRow& r) { return r.step ? signed_number(*r.step) : absent(); }, Role::kKey},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](AllocationRow& r) { return allocation_cells::id(r.change.device); }, Role::kKey},
    {Column::integer("stream", "Stream", "", "CUDA's id of the stream in whose order it happens; absent: it happens in the call"), [](AllocationRow& r) { return allocation_cells::id(r.record.stream); }, Role::kKey},
    {Column::integer("address", "Address", "", "address of the memory"), [](AllocationRow& r) { return r.record.address != 0 ? number(r.record.address) : absent(); }},
    {Column::integer("allocated_ns", "Allocated", "ns", "of a release: time of the allocation, since the start of the trace; absent: it is not in the trace").grouped(), [](AllocationRow& r) { return r.time(r.allocated_ns()); }},
    {Column::integer("thread", "Thread", "", "calling thread, as numbered in the trace"), [](AllocationRow& r) { return r.call.thread ? number(r.call.thread.value) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](AllocationRow& r) { return r.threads().os_tid(r.call.thread); }, Role::kKey},
    {Column::text("name", "Name", "of a variable in device memory: its name").cut_end(12), [](AllocationRow& r) { return text(r.string(r.record.name)); }, Role::kKey},
    {Column::integer("pool", "Pool", "", "address of the memory pool"), [](AllocationRow& r) { return allocation_cells::size(r.record.pool); }, Role::kKey},
    {Column::integer("pool_bytes", "Reserved", "B", "bytes that this pool has reserved").grouped(), [](AllocationRow& r) { return allocation_cells::size(r.record.pool_bytes); }},
    {Column::integer("correlation", "Correlation", "", "links the row to its call in trace.db"), [](AllocationRow& r) { return r.record.correlation != 0 ? number(r.record.correlation) : absent(); }},
    {Column::integer("range_id", "RangeId", "", "id of the innermost range around the call in trace.db"), [](AllocationRow& r) { return r.call.range != 0 ? number(r.call.range) : absent(); }},
    {Column::integer("context", "Context", "", "CUPTI's id of the context"), [](AllocationRow& r) { return allocation_cells::id(r.record.context); }, Role::kOnRequest},
});
// clang-format on

/// Allocations and releases of memory by CUDA.
struct Allocations {
  using Row = AllocationRow;
  static constexpr RowNames kNames = {"allocation or release", "allocations and releases",
                                      "allocations"};
  static constexpr bool kHasSteps = true;
  static constexpr std::span<const Field<Row>> kFields = kAllocationFields;
  using Cursor = TraceWiseCursor<AllocationsOfTrace, kAllocationFields>;
};

}  // namespace prof::reports
