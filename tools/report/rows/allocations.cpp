// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/allocations.hpp"

#include <cstring>
#include <type_traits>

#include "libprof/store/record_cursor.hpp"
#include "tools/report/choose/step_finder.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kEventSortBytes = std::size_t{64} << 20;

static_assert(std::is_trivially_copyable_v<AllocationRecord>);

}  // namespace

std::string_view operation_name(AllocationRecord::Operation operation) {
  const auto place = static_cast<std::size_t>(operation);
  const auto& words = EnumWords<AllocationRecord::Operation>::kWords;
  return place > 0 && place < words.size() ? words[place] : std::string_view();
}

std::optional<std::int64_t> AllocationRow::host_time_ns() const {
  if (record.time_ns == 0) return std::nullopt;
  return difference_of_times(record.time_ns, trace_.reader.start_realtime_ns());
}

std::optional<std::int64_t> AllocationRow::allocated_ns() const {
  if (!change.allocated_ns || *change.allocated_ns == 0) return std::nullopt;
  return difference_of_times(*change.allocated_ns, trace_.reader.start_realtime_ns());
}

AllocationsOfTrace::Host::Host(TraceReader& trace, const Choice& choice)
    : stacks(trace, StackWalker::kUsualEntries, choice.domains),
      process_steps(trace, stacks.texts().dialects()) {}

AllocationsOfTrace::AllocationsOfTrace(const TraceMember& trace, const RowInput& input)
    : trace_(trace), by_time_(kEventSortBytes), calls_(trace.reader.tables()), row_(trace) {
  read(input.choice);
}

void AllocationsOfTrace::read(const Choice& choice) {
  const auto records = records_of<AllocationRecord>(trace_.reader);
  while (const AllocationRecord* const record = records->next()) {
    if (!host_) host_.emplace(trace_.reader, choice);
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
  row_.op = stacks.attribution(*stack.attributed, DType::kUnknown);
  row_.step = step_of(stack, host_->process_steps, time_ns);
}

}  // namespace prof::reports
