// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DeviceFindings: what the GPU that ran work says of the cost that it carries: which of it cannot
// have been done in that time, and which bytes the L2 served. Owned by one cursor.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyzers/cost/l2_reuse.hpp"
#include "analyzers/devices/device_limits.hpp"
#include "analyzers/model/attribution.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class DeviceFindings {
 public:
  explicit DeviceFindings(TraceReader& reader);

  /// Call for all work whose cost is known, in the order of launches.
  void add_to(Attribution& made, const GpuRow& gpu);

 private:
  /// The limits of a device, and the contents of its L2.
  struct Device {
    explicit Device(const DeviceRow& device) : limits(device), l2(limits) {}
    devices::DeviceLimits limits;
    L2Reuse l2;
  };

  std::unordered_map<std::uint32_t, Device> devices_;  // by CUDA device number
  const devices::DeviceLimits no_limits_;              // of an unknown device
};

}  // namespace prof
