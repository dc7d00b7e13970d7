// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/device_findings.hpp"

#include "analyzers/checks/contradictions.hpp"

namespace prof {

DeviceFindings::DeviceFindings(TraceReader& reader) {
  for (const DeviceRow& device : reader.devices()) devices_.try_emplace(device.device, device);
}

void DeviceFindings::add_to(Attribution& made, const GpuRow& gpu) {
  const auto found = devices_.find(gpu.device);
  Device* const device = found != devices_.end() ? &found->second : nullptr;
  made.contradictions |=
      device_contradictions(made, gpu.duration_ns, device != nullptr ? device->limits : no_limits_);
  if (device == nullptr || gpu.kind != GpuRow::Kind::kKernel) return;
  made.l2_bytes = device->l2.take(made, gpu.stream, gpu.duration_ns);
}

}  // namespace prof
