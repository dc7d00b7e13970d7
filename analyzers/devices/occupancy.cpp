// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See occupancy.hpp.
#include "analyzers/devices/occupancy.hpp"

#include <algorithm>

namespace prof::devices {
namespace {

struct Multiprocessor {
  std::uint32_t major, minor;
  std::uint32_t warps, blocks;
  std::uint32_t shared_kib, shared_unit, shared_reserved;
};

constexpr Multiprocessor kMultiprocessors[] = {
#define PROF_MULTIPROCESSOR(major, minor, warps, blocks, shared_kib, unit, reserved) \
  {major, minor, warps, blocks, shared_kib, unit, reserved},
#include "analyzers/devices/multiprocessors.inc"
#undef PROF_MULTIPROCESSOR
};

// These are the same for all of them.
constexpr std::uint64_t kWarpThreads = 32;
constexpr std::uint64_t kMaxThreads = 1024;  // of a block
constexpr std::uint64_t kPartitions = 4;     // each with its own registers and warps
constexpr std::uint64_t kRegisters = 65536;
constexpr std::uint64_t kRegisterUnit = 256;  // a warp's registers are a multiple of it

const Multiprocessor* find_multiprocessor(const DeviceRow& device) {
  const auto* found = std::ranges::find_if(kMultiprocessors, [&](const Multiprocessor& known) {
    return known.major == device.compute_major && known.minor == device.compute_minor;
  });
  return found == std::end(kMultiprocessors) ? nullptr : found;
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t threads(const Dim3& block) {
  // Three numbers of a damaged trace may exceed 64 bits.
  if (std::max({block.x, block.y, block.z}) > kMaxThreads) return 0;
  return std::uint64_t{block.x} * block.y * block.z;
}

/// Blocks whose registers fit. A warp's registers are in one partition; those of the block as a
/// whole must fit as if its warps were spread evenly.
std::uint64_t register_room(std::uint32_t registers_per_thread, std::uint64_t warps_per_block) {
  const std::uint64_t per_warp = round_up(registers_per_thread * kWarpThreads, kRegisterUnit);
  if (per_warp * round_up(warps_per_block, kPartitions) > kRegisters) return 0;
  return kRegisters / kPartitions / per_warp * kPartitions / warps_per_block;
}

/// Blocks whose shared memory fits.
std::uint64_t shared_room(const Multiprocessor& device, const LaunchConfig& launch) {
  const std::uint64_t stated =
      std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes;
  const std::uint64_t taken = round_up(stated + device.shared_reserved, device.shared_unit);
  return taken == 0 ? Occupancy::kNoLimit : device.shared_kib * std::uint64_t{1024} / taken;
}

}  // namespace

std::string_view name(OccupancyLimit limit) {
  constexpr std::string_view kNames[kOccupancyLimits] = {"warps", "blocks", "registers",
                                                         "shared memory"};
  return kNames[static_cast<std::size_t>(limit)];
}

OccupancyLimit Occupancy::limit() const {
  return static_cast<OccupancyLimit>(std::ranges::min_element(room) - room.begin());
}

std::uint32_t Occupancy::blocks_per_sm() const { return std::ranges::min(room); }

double Occupancy::fraction() const {
  return static_cast<double>(blocks_per_sm()) * warps_per_block / max_warps;
}

std::optional<Occupancy> theoretical_occupancy(const DeviceRow& device,
                                               const LaunchConfig& launch) {
  const Multiprocessor* known = find_multiprocessor(device);
  const std::uint64_t block_threads = threads(launch.block);
  if (known == nullptr || block_threads == 0 || block_threads > kMaxThreads) return std::nullopt;
  if (launch.registers_per_thread == 0) return std::nullopt;
  const std::uint64_t warps = round_up(block_threads, kWarpThreads) / kWarpThreads;
  const std::uint64_t room[kOccupancyLimits] = {known->warps / warps, known->blocks,
                                                register_room(launch.registers_per_thread, warps),
                                                shared_room(*known, launch)};
  Occupancy occupancy = {.warps_per_block = static_cast<std::uint32_t>(warps),
                         .max_warps = known->warps};
  std::ranges::transform(room, occupancy.room.begin(),
                         [](std::uint64_t blocks) { return static_cast<std::uint32_t>(blocks); });
  if (occupancy.blocks_per_sm() == 0) return std::nullopt;
  return occupancy;
}

}  // namespace prof::devices
