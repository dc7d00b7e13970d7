// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/live_memory.hpp"

#include <iterator>
#include <tuple>

namespace prof {

LiveMemory::Change LiveMemory::take(const AllocationRecord& record) {
  using Operation = AllocationRecord::Operation;
  Change change{.bytes = record.bytes,
                .memory = record.memory,
                .device = record.device,
                .live_bytes = {},
                .allocated_ns = {}};
  if (record.address == 0 || record.operation == Operation::kUnknown) return change;
  if (record.operation == Operation::kAllocate) {
    allocate(record);
  } else {
    release(change, record.address);
  }
  change.live_bytes = live_[{change.device, change.memory}];
  return change;
}

void LiveMemory::allocate(const AllocationRecord& record) {
  const auto after = blocks_.upper_bound(record.address);
  if (after != blocks_.begin() && std::prev(after)->first == record.address) {
    end(std::prev(after)->second);
  }
  const Place place(record.device, record.memory);
  blocks_.emplace_hint(after, record.address, Block{record.bytes, record.time_ns, place});
  live_[place] += record.bytes;
}

void LiveMemory::end(Block& block) {
  if (block.is_live) live_[block.place] -= block.bytes;
  block.is_live = false;
}

void LiveMemory::release(Change& change, std::uint64_t address) {
  const auto found = blocks_.lower_bound(address);
  if (found == blocks_.end() || found->first != address) return;
  Block& block = found->second;
  change.bytes = block.bytes;
  change.allocated_ns = block.time_ns;
  std::tie(change.device, change.memory) = block.place;
  end(block);
  blocks_.erase(found);
}

}  // namespace prof
