// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The roofline model of one kernel: how long its share of its op's arithmetic and bytes takes at
// the device's peaks (device_peaks.hpp) and in its L2 cache (device_limits.hpp), and what that says
// about the time it took. The bytes are the least that the op must move, not what the kernel moved.
// A time longer than the kernel's own cannot be one of its limits: the model then takes what holds
// in any case, so that no kernel beats it whose cost is right. docs/reports.md has the formulas.
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzers/devices/device_limits.hpp"
#include "analyzers/devices/device_peaks.hpp"
#include "analyzers/model/attribution.hpp"

namespace prof::devices {

/// If both times are below this fraction of the kernel's time, neither unit was the bottleneck.
inline constexpr double kLatencyPercent = 10;
/// A shorter kernel is mostly launch and drain, whatever it computes.
inline constexpr std::int64_t kLatencyNs = 3000;

/// Times at the peaks. Absent where FLOPs, bytes, dtype or the device's peak is unknown.
struct PeakTimes {
  std::optional<double> compute_ns;  ///< FLOPs over the peak of the kernel's dtype.
  std::optional<double> memory_ns;   ///< Bytes over the memory's peak.
  /// The peaks that were used, per second. Without FLOPs, none of arithmetic is.
  std::optional<double> flops_per_s, bytes_per_s;
};

/// As if all bytes passed through the memory. All absent for copies and sets.
PeakTimes times_at_peaks(const Attribution& attribution, const DevicePeaks& peaks);

/// Times as if only the bytes that the L2 does not serve passed through the memory.
struct RooflineTimes : PeakTimes {
  double l2_ns = 0;              ///< Bytes over the bandwidth of the L2; 0: that is unknown.
  bool is_l2_estimated = false;  ///< Nobody measured that bandwidth.

  /// The longest of the three; absent unless those of arithmetic and of bytes are known.
  [[nodiscard]] std::optional<double> model_ns() const;
  [[nodiscard]] bool is_l2_slower() const { return l2_ns > memory_ns.value_or(0); }
};

/// The times of a kernel with that duration; 0: unknown. All absent for copies and sets.
RooflineTimes roofline_times(const Attribution& attribution, std::int64_t duration_ns,
                             const DevicePeaks& peaks, const DeviceLimits& limits);

/// A saved attribution holds these numbers (libprof/store/schema/saved_tables.cpp).
enum class Bound : std::uint8_t { kUnknown, kCompute, kMemory, kL2, kLatency };
std::string_view name(Bound bound);  ///< "compute", "memory", "L2", "latency"; "" for kUnknown.

/// kUnknown where the model has no time, and for kernels that carry none of their op's cost.
Bound bound(const RooflineTimes& times, std::int64_t duration_ns);

}  // namespace prof::devices
