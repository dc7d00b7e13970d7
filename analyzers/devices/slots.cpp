// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See slots.hpp.
#include "analyzers/devices/slots.hpp"

#include "analyzers/devices/occupancy.hpp"

namespace prof::devices {

std::optional<std::int64_t> slots(const DeviceRow& device, const LaunchConfig& launch,
                                  std::uint32_t blocks_of_cluster) {
  constexpr std::uint32_t kMultiprocessorsOfTpc = 2;
  if (device.sm_count == 0 || blocks_of_cluster > kMultiprocessorsOfTpc) return std::nullopt;
  const std::optional<Occupancy> occupancy = theoretical_occupancy(device, launch);
  if (!occupancy) return std::nullopt;
  return std::int64_t{device.sm_count} * occupancy->blocks_per_sm();
}

}  // namespace prof::devices
