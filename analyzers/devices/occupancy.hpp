// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Theoretical occupancy: how many blocks of a launch a multiprocessor holds at once, by its limits
// (multiprocessors.inc) and what a block takes of them. It is an upper bound: a grid may be too
// small to fill the device, blocks of a cluster are placed together, tensor memory (Blackwell) is
// not in the trace, and the driver may give the L1 cache more of the memory that it shares with
// shared memory. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/store/read/trace_reader.hpp"

namespace prof::devices {

/// The resource that a multiprocessor runs out of first.
enum class OccupancyLimit : std::uint8_t { kWarps, kBlocks, kRegisters, kSharedMemory };
inline constexpr std::size_t kOccupancyLimits = 4;

std::string_view name(OccupancyLimit limit);  ///< "warps", "blocks", "registers", "shared memory".

struct Occupancy {
  static constexpr std::uint32_t kNoLimit = UINT32_MAX;

  /// Blocks for which each limit has room, by OccupancyLimit; kNoLimit: a block takes none of it.
  std::array<std::uint32_t, kOccupancyLimits> room = {};
  std::uint32_t warps_per_block = 0;
  std::uint32_t max_warps = 0;  ///< The most warps of a multiprocessor.

  /// The limit with the least room; of several, the first: more room in the others changes nothing.
  [[nodiscard]] OccupancyLimit limit() const;
  [[nodiscard]] std::uint32_t blocks_per_sm() const;  ///< Never 0.
  [[nodiscard]] double fraction() const;              ///< Warps over the most there can be, 0 to 1.
};

/// Absent for a compute capability that multiprocessors.inc lacks, for a launch whose block or
/// registers the trace does not state, and for one that no such device can run.
std::optional<Occupancy> theoretical_occupancy(const DeviceRow& device, const LaunchConfig& launch);

}  // namespace prof::devices
