// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations and releases of memory, see allocations.hpp.
#include "tools/report/rows/allocations.hpp"

#include <cstring>
#include <optional>
#include <type_traits>

#include "analyzers/stacks/stack_walker.hpp"
#include "libprof/store/read/record_cursor.hpp"
#include "tools/common/record_sort.hpp"
#include "tools/report/filter/step_finder.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kEventSortBytes = std::size_t{64} << 20;

static_assert(std::is_trivially_copyable_v<AllocationRecord>);

class AllocationsOfTrace final : public RowsOfTrace {
 public:
  AllocationsOfTrace(const TraceMember& trace, const RowInput& input);
  AllocationRow* next() override;
  [[nodiscard]] Status status() const override { return status_; }

 private:
  using Sort = tools::RecordSort<tools::NeverBefore>;

  /// What ranges mean. Only for traces that have rows: it reads some of the ranges.
  struct Host {
    Host(TraceReader& trace, const RowFilter& filter);
    StackWalker stacks;
  };

  void read(const RowFilter& filter);
  void attribute();

  const TraceMember& trace_;
  Sort by_time_;
  std::optional<Host> host_;
  CallLookup calls_;
  LiveMemory memory_;
  AllocationRow row_;
  Status status_;
};

AllocationsOfTrace::Host::Host(TraceReader& trace, const RowFilter& filter)
    : stacks(trace, StackWalker::kUsualEntries, filter.range_options) {}

AllocationsOfTrace::AllocationsOfTrace(const TraceMember& trace, const RowInput& input)
    : trace_(trace), by_time_(kEventSortBytes), calls_(trace.reader.tables()), row_(trace) {
  read(input.filter);
}

void AllocationsOfTrace::read(const RowFilter& filter) {
  const auto records = records_of<AllocationRecord>(trace_.reader);
  while (const AllocationRecord* const record = records->next()) {
    if (!host_) host_.emplace(trace_.reader, filter);
    const auto rank = static_cast<std::uint64_t>(record->time_ns);
    status_ = by_time_.add(rank, {reinterpret_cast<const char*>(record), sizeof *record});
    if (!status_) return;
  }
  status_ = records->status();
}

AllocationRow* AllocationsOfTrace::next() {
  if (!status_) return nullptr;
  const tools::SortedRecord* const sorted = by_time_.next();
  if (sorted == nullptr) {
    status_ = by_time_.status();
    return nullptr;
  }
  std::memcpy(static_cast<void*>(&row_.record), sorted->bytes.data(), sizeof row_.record);
  const auto part = trace_.reader.captures().at(row_.host_time_ns());
  // What happened between two parts is not known.
  if (part != row_.part) memory_ = {};
  row_.part = part;
  row_.change = memory_.take(row_.record);
  row_.call = calls_.find(row_.record.correlation);
  status_ = calls_.status();
  attribute();
  return status_ ? &row_ : nullptr;
}

void AllocationsOfTrace::attribute() {
  const auto time_ns = row_.host_time_ns();
  StackWalker& stacks = host_->stacks;
  stacks.trim();
  if (time_ns) stacks.advance(*time_ns);
  const StackMeaning stack = stacks.meaning(row_.call.range);
  row_.op = stacks.attribution(stacks.attributed(stack, time_ns), DType::kUnknown);
  row_.step = step_of(stack, host_->stacks.steps(), time_ns);
}

/// "allocate", "release"; empty: unknown.
std::string_view operation_name(AllocationRecord::Operation operation) {
  const auto place = static_cast<std::size_t>(operation);
  const auto& words = EnumWords<AllocationRecord::Operation>::kWords;
  return place > 0 && place < words.size() ? words[place] : std::string_view();
}

namespace allocation_cells {

Cell id(const std::optional<std::uint32_t>& id) { return id ? number(*id) : absent(); }
Cell size(const std::optional<std::uint64_t>& bytes) { return bytes ? number(*bytes) : absent(); }

}  // namespace allocation_cells

// clang-format off
constexpr auto kAllocationFields = with_trace({
    {Column::instant("start_ns", "Time", "time of the call, since the start of the trace"), [](AllocationRow& r) { return r.time(r.host_time_ns()); }},
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
    {Column::instant("allocated_ns", "Allocated", "of a release: time of the allocation, since the start of the trace; absent: it is not in the trace"), [](AllocationRow& r) { return r.time(r.allocated_ns()); }},
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

}  // namespace

std::optional<std::int64_t> AllocationRow::host_time_ns() const {
  if (record.time_ns == 0) return std::nullopt;
  return difference_of_times(record.time_ns, trace_.reader.start_realtime_ns());
}

std::optional<std::int64_t> AllocationRow::allocated_ns() const {
  if (!change.allocated_ns || *change.allocated_ns == 0) return std::nullopt;
  return difference_of_times(*change.allocated_ns, trace_.reader.start_realtime_ns());
}

constinit const RowKind kAllocations = {
    .names = {"allocation or release", "allocations and releases", "allocations",
              "every allocation and release of memory by CUDA, in order of time"},
    .fields = kAllocationFields,
    .steps = Steps::kOfHost,
    .ranges = Ranges::kOfStack,
    .open =
        [](const RowInput& input) {
          return rows_by_trace<AllocationsOfTrace>(kAllocations, input);
        },
};

}  // namespace prof::reports
