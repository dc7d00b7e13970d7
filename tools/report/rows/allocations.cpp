// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations and releases of memory, see allocations.hpp.
#include "tools/report/rows/allocations.hpp"

#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {
namespace {

class AllocationsOfTrace final : public RowsOfTrace {
 public:
  AllocationsOfTrace(const TraceMember& trace, const RowInput& input)
      : allocations_(trace.reader, input.filter.range_options), row_(trace) {}
  AllocationRow* next() override {
    const Allocation* const found = allocations_.next();
    if (found == nullptr) return nullptr;
    row_.set(*found);
    return &row_;
  }
  [[nodiscard]] Status status() const override { return allocations_.status(); }

 private:
  Allocations allocations_;
  AllocationRow row_;
};

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
    {Column::instant("start_ns", "Time", "time of the call, since the start of the trace"), [](AllocationRow& r) { return r.time(r.of().time_ns); }},
    {Column::text("operation", "Operation", "allocate or release"), [](AllocationRow& r) { return text(operation_name(r.of().record.operation)); }, Role::kKey},
    {Column::text("memory", "Memory", "kind of memory: device, pinned, managed, ..."), [](AllocationRow& r) { return text(memory_name(r.of().change.memory)); }, Role::kKey},
    {Column::integer("bytes", "Bytes", "B", "size of the memory").grouped(), [](AllocationRow& r) { return number(r.of().change.bytes); }},
    {Column::integer("live_bytes", "Live", "B", "allocated after it, of the same GPU and kind of memory, since the captured part of the run began").grouped(), [](AllocationRow& r) { return allocation_cells::size(r.of().change.live_bytes); }},
    {Column::text("function", "Call", "CUDA function").cut_end(12), [](AllocationRow& r) { return r.of().call.is_known ? text(r.string(r.of().call.function)) : absent(); }, Role::kKey},
    {Column::text("dir", "Direction", "fprop, bprop or update (the optimizer)"), [](AllocationRow& r) { return text(name(r.of().op->direction)); }, Role::kKey},
    {Column::text("layer", "Layer", "path of the layers around the call, separated by ':'").cut_front(14), [](AllocationRow& r) { return text(r.of().op->layer); }, Role::kKey},
    {Column::text("op", "Op", "op around the call").cut_end(10), [](AllocationRow& r) { return text(r.of().op->op); }, Role::kKey},
    {Column::integer("step", "Step", "", "number of the training step around the call"), [](AllocationRow& r) { return r.of().step ? signed_number(*r.of().step) : absent(); }, Role::kKey},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](AllocationRow& r) { return allocation_cells::id(r.of().change.device); }, Role::kKey},
    {Column::integer("stream", "Stream", "", "CUDA's id of the stream in whose order it happens; absent: it happens in the call"), [](AllocationRow& r) { return allocation_cells::id(r.of().record.stream); }, Role::kKey},
    {Column::integer("address", "Address", "", "address of the memory"), [](AllocationRow& r) { return r.of().record.address != 0 ? number(r.of().record.address) : absent(); }},
    {Column::instant("allocated_ns", "Allocated", "of a release: time of the allocation, since the start of the trace; absent: it is not in the trace"), [](AllocationRow& r) { return r.time(r.of().allocated_ns); }},
    {Column::integer("thread", "Thread", "", "calling thread, as numbered in the trace"), [](AllocationRow& r) { return r.of().call.thread ? number(r.of().call.thread.value) : absent(); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](AllocationRow& r) { return r.threads().os_tid(r.of().call.thread); }, Role::kKey},
    {Column::text("name", "Name", "of a variable in device memory: its name").cut_end(12), [](AllocationRow& r) { return text(r.string(r.of().record.name)); }, Role::kKey},
    {Column::integer("pool", "Pool", "", "address of the memory pool"), [](AllocationRow& r) { return allocation_cells::size(r.of().record.pool); }, Role::kKey},
    {Column::integer("pool_bytes", "Reserved", "B", "bytes that this pool has reserved").grouped(), [](AllocationRow& r) { return allocation_cells::size(r.of().record.pool_bytes); }},
    {Column::integer("correlation", "Correlation", "", "links the row to its call in trace.db"), [](AllocationRow& r) { return r.of().record.correlation != 0 ? number(r.of().record.correlation) : absent(); }},
    {Column::integer("range_id", "RangeId", "", "id of the innermost range around the call in trace.db"), [](AllocationRow& r) { return r.of().call.range != 0 ? number(r.of().call.range) : absent(); }},
    {Column::integer("context", "Context", "", "CUPTI's id of the context"), [](AllocationRow& r) { return allocation_cells::id(r.of().record.context); }, Role::kOnRequest},
});
// clang-format on

}  // namespace

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
