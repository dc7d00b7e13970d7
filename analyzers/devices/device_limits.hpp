// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What no kernel can do in less time on a device: a number that says otherwise is wrong. Unlike
// peaks (device_peaks.hpp), which measure how good a kernel is, limits hold at the highest clock
// and for data that is in the L2 cache already. Absent where the device is not known well enough.
// Pure functions.
#pragma once

#include <optional>

#include "analyzers/attribution.hpp"
#include "analyzers/devices/device_peaks.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof::devices {

class DeviceLimits {
 public:
  DeviceLimits() = default;  ///< Of an unknown device.
  explicit DeviceLimits(const DeviceRow& device);

  /// The shortest time for that many FLOPs of `op` in that kernel, by the units its name allows.
  /// Absent for kernels that may compute fewer FLOPs than their op counts.
  [[nodiscard]] std::optional<double> compute_ns(double flops, const OpAttribution& op,
                                                 const KernelFacts& kernel) const;
  /// The shortest time in which a kernel reads and writes that many bytes.
  [[nodiscard]] std::optional<double> memory_ns(double bytes) const;

 private:
  [[nodiscard]] std::optional<double> tensor_rate(DType operand) const;
  [[nodiscard]] std::optional<double> core_rate(DType dtype) const;

  DevicePeaks peaks_;            // at the highest clock
  double halves_per_float_ = 2;  // CUDA cores: operations on 16-bit floats for one on 32 bits
  double l2_bytes_ = 0;          // 0 here and below: unknown
  double l2_bytes_per_s_ = 0;
  double memory_bytes_per_s_ = 0;
};

}  // namespace prof::devices
