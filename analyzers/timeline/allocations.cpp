// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/allocations.hpp"

#include <cstring>
#include <type_traits>

#include "libprof/model/times.hpp"
#include "libprof/store/read/record_cursor.hpp"

namespace prof {
namespace {

constexpr std::size_t kEventSortBytes = std::size_t{64} << 20;

static_assert(std::is_trivially_copyable_v<AllocationRecord>);

}  // namespace

Allocations::Allocations(TraceReader& trace, const RangeOptions& options)
    : trace_(trace), by_time_(kEventSortBytes), calls_(trace.tables()) {
  read(options);
}

void Allocations::read(const RangeOptions& options) {
  const auto records = records_of<AllocationRecord>(trace_);
  while (const AllocationRecord* const record = records->next()) {
    if (!stacks_) stacks_.emplace(trace_, StackWalker::kUsualEntries, options);
    const auto rank = static_cast<std::uint64_t>(record->time_ns);
    status_ = by_time_.add(rank, {reinterpret_cast<const char*>(record), sizeof *record});
    if (!status_) return;
  }
  status_ = records->status();
}

const Allocation* Allocations::next() {
  if (!status_) return nullptr;
  const SortedRecord* const sorted = by_time_.next();
  if (sorted == nullptr) {
    status_ = by_time_.status();
    return nullptr;
  }
  std::memcpy(static_cast<void*>(&current_.record), sorted->bytes.data(), sizeof current_.record);
  current_.time_ns = since_start(current_.record.time_ns);
  const auto part = trace_.captures().at(current_.time_ns);
  // Allocations between two parts are not known.
  if (part != current_.part) memory_ = {};
  current_.part = part;
  current_.change = memory_.take(current_.record);
  current_.allocated_ns = since_start(current_.change.allocated_ns.value_or(0));
  current_.call = calls_.find(current_.record.correlation);
  status_ = calls_.status();
  attribute();
  return status_ ? &current_ : nullptr;
}

void Allocations::attribute() {
  stacks_->trim();
  if (current_.time_ns) stacks_->advance(*current_.time_ns);
  const StackMeaning stack = stacks_->meaning(current_.call.range);
  current_.op = stacks_->attribution(stacks_->attributed(stack, current_.time_ns), DType::kUnknown);
  current_.step = stacks_->steps().number_around(stack.step, current_.time_ns);
}

std::optional<std::int64_t> Allocations::since_start(std::int64_t time_ns) const {
  if (time_ns == 0) return std::nullopt;
  return difference_of_times(time_ns, trace_.start_realtime_ns());
}

void MemoryPeak::take(const Allocation& one) {
  const std::uint64_t live = one.change.live_bytes.value_or(0);
  if (live <= bytes) return;
  bytes = live;
  layer = one.op->layer;
  op = one.op->op;
  direction = name(one.op->direction);
  step = one.step;
}

}  // namespace prof
