// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LiveMemory: how many bytes are allocated at each time, of each device and kind of memory, as far
// as allocations are recorded: what was allocated before is not known, and its release changes
// nothing. Memory for each block. One captured part of the run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "libprof/model/records.hpp"

namespace prof {

class LiveMemory {
 public:
  /// The effect of one record.
  struct Change {
    std::uint64_t bytes = 0;  ///< For a release: the size of the block that it ends.
    MemoryKind memory = MemoryKind::kUnknown;
    std::optional<std::uint32_t> device;
    /// Allocated after it, of the same device and kind. Absent: the record has no address or no
    /// operation.
    std::optional<std::uint64_t> live_bytes;
    /// For a release: when the block was allocated. Absent: that is not recorded.
    std::optional<std::int64_t> allocated_ns;
  };

  /// By time. An allocation may begin before another thread's release of the address that it gets.
  /// So the older block of an address is gone when the next one comes, and its release may follow.
  Change take(const AllocationRecord& record);

 private:
  using Place = std::pair<std::optional<std::uint32_t>, MemoryKind>;
  struct Block {
    std::uint64_t bytes = 0;
    std::int64_t time_ns = 0;
    Place place;
    bool is_live = true;  ///< No newer one has its address.
  };

  void allocate(const AllocationRecord& record);
  void end(Block& block);
  void release(Change& change, std::uint64_t address);

  std::multimap<std::uint64_t, Block>
      blocks_;  // by address, the oldest of one first, the newest live
  std::map<Place, std::uint64_t> live_;
};

}  // namespace prof
