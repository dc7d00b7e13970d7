// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The few functions of the CUDA driver that the collector asks itself, looked up in the libcuda
// that the program has loaded (never loaded by us: without it there is nothing to capture). They
// ask for properties and wait for work; none changes the program's state. Any thread, not from
// CUPTI callbacks.
#pragma once

#include <cstdint>
#include <string>

#include "libprof/model/records.hpp"

namespace prof::collectors {

/// The texts that a DeviceRecord points to.
struct DeviceProperties {
  DeviceRecord record;
  std::string name;
  std::string uuid;
};

/// A libcuda is in this process.
bool has_cuda_driver();

/// Everything known of a device; false where the driver cannot be asked.
bool query_device(std::uint32_t ordinal, DeviceProperties& properties);

/// cuDriverGetVersion(), e.g. 13000; 0 without a driver. A CUPTI callback may be delivered inside.
int cuda_driver_version();

/// The version that the kernel module reports ("580.82.07"), or empty.
std::string kernel_driver_version();

/// Waits for all work in the primary context of every device and in the calling thread's context.
void synchronize_all_contexts();

}  // namespace prof::collectors
