// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on a kernel's time on a device: a number below them is wrong. Unlike peaks
// (device_peaks.hpp), which measure how good a kernel is, limits hold at the highest clock and for
// data that is in the L2 cache already. The properties of that cache are here, too. Absent where
// the device is not known well enough. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "analyzers/devices/device_peaks.hpp"
#include "analyzers/model/attribution.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof::devices {

/// Tick of the GPU's clock, which measures starts and ends: a time may be that much longer.
inline constexpr double kTimerTickNs = 32;

struct L2Cache {
  double bytes = 0;               ///< 0 here and below: unknown.
  double bytes_per_s = 0;         ///< Bandwidth for data that is in it.
  Basis basis = Basis::kUnknown;  ///< Basis of the bandwidth. kExact: measured (limits.inc).

  /// The most bytes of a kernel that need not pass through the memory while it runs: what was in
  /// the cache before it, and what is still in it afterwards.
  [[nodiscard]] double most_served() const { return 2 * bytes; }
};

class DeviceLimits {
 public:
  DeviceLimits() = default;  ///< Limits of an unknown device.
  explicit DeviceLimits(const DeviceRow& device);

  /// The shortest time for that many FLOPs of `op` in that kernel, by the units its name allows.
  [[nodiscard]] std::optional<double> compute_ns(double flops, const OpAttribution& op,
                                                 const KernelFacts& kernel) const;
  /// The shortest time in which a kernel reads and writes that many bytes.
  [[nodiscard]] std::optional<double> memory_ns(double bytes) const;
  /// The time for those of the bytes that the memory must move; 0: the L2 may serve all of them.
  [[nodiscard]] double beyond_l2_ns(double bytes) const;

  [[nodiscard]] const L2Cache& l2() const { return l2_; }
  /// Bandwidth of the memory; 0: unknown.
  [[nodiscard]] double memory_bytes_per_s() const { return memory_bytes_per_s_; }

 private:
  static constexpr std::size_t kTypes = static_cast<std::size_t>(DType::kFloat4E2M1) + 1;

  /// Operations per second at the highest clock; 0: unknown.
  struct Rates {
    double tensor = 0;  // of an unknown type: the highest of all
    double core = 0;
  };
  [[nodiscard]] const Rates& rates(DType dtype) const {
    return rates_[static_cast<std::size_t>(dtype)];
  }

  std::array<Rates, kTypes> rates_ = {};
  L2Cache l2_;
  double memory_bytes_per_s_ = 0;
};

}  // namespace prof::devices
