// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `device`: every sampled state of a GPU.
#include "tools/report/reports/list_report.hpp"
#include "tools/report/reports/registry.hpp"
#include "tools/report/rows/device_states.hpp"

namespace prof::reports {

void register_device(Registry& registry) {
  registry.add(std::make_unique<ListReport<DeviceStates>>(ListReport<DeviceStates>::Traits{
      .name = "device",
      .help = "clocks, power and temperature of the GPUs over time",
      .table = {"idx", "device", "start_ns", "sm_clock_mhz", "memory_clock_mhz", "power_w",
                "temperature_c", "throttle", "memory_used_bytes"},
  }));
}

}  // namespace prof::reports
