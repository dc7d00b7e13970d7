// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How many blocks of a launch a device holds at once: one wave. Pure function.
#pragma once

#include <cstdint>
#include <optional>

#include "libprof/store/read/trace_reader.hpp"

namespace prof::devices {

/// By theoretical occupancy (occupancy.hpp), and absent where that is. Blocks of a cluster share a
/// GPC. GPCs have whole TPCs of two multiprocessors (NVIDIA, H100 Tensor Core GPU Architecture), so
/// clusters of two leave none unused. How many larger ones fit depends on which TPCs of each GPC
/// this very device has, which no trace records: absent.
std::optional<std::int64_t> slots(const DeviceRow& device, const LaunchConfig& launch,
                                  std::uint32_t blocks_of_cluster);

}  // namespace prof::devices
