// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The roofline model of one kernel: how long its share of its op's arithmetic and bytes would take
// at the device's peaks (device_peaks.hpp), and what that says about the time it took. The bytes
// are the minimum the op must move, not what the kernel moved; the model's time is a lower bound
// for a kernel that starts with cold caches. docs/reports.md has the formulas. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzers/attribution.hpp"
#include "analyzers/devices/device_peaks.hpp"

namespace prof::devices {

/// If both times are below this fraction of the kernel's time, neither unit was the bottleneck.
inline constexpr double kLatencyPercent = 10;
/// A shorter kernel is mostly launch and drain, whatever it computes.
inline constexpr std::int64_t kLatencyNs = 3000;

/// The model's times. Absent where FLOPs, bytes, dtype or the device's peak is unknown.
struct RooflineTimes {
  std::optional<double> compute_ns;  ///< FLOPs over the peak of the kernel's dtype.
  std::optional<double> memory_ns;   ///< Bytes over the memory's peak.
  /// The peaks that were used, per second. Without FLOPs, none of arithmetic is.
  std::optional<double> flops_per_s, bytes_per_s;

  /// The longer of the two; absent unless both are known.
  [[nodiscard]] std::optional<double> model_ns() const;
};

/// All absent for copies and sets.
RooflineTimes roofline_times(const Attribution& attribution, const DevicePeaks& peaks);

enum class Bound : std::uint8_t { kUnknown, kCompute, kMemory, kLatency };
std::string_view name(Bound bound);  ///< "compute", "memory", "latency"; "" for kUnknown.

/// kUnknown where the model has no time, and for kernels that carry none of their op's cost.
Bound bound(const RooflineTimes& times, std::int64_t duration_ns);

}  // namespace prof::devices
