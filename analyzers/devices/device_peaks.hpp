// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A device's peak performance: arithmetic by dtype and memory bandwidth, from its data sheet
// (peaks.inc), otherwise derived from its multiprocessors, clocks and memory bus (rates.inc). What
// can be neither looked up nor derived is absent. Pure functions.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "analyzers/model/attribution.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof::devices {

/// The value in the tables of this folder (*.inc) that means unknown.
inline constexpr double NA = -1;  // NOLINT(readability-identifier-naming)

/// Operations or bytes per second.
struct Peak {
  double per_s = 0;
  Basis basis = Basis::kUnknown;  ///< kExact: stated for the device; kEstimated: derived.
};

/// Clocks of a device in MHz. Absent: not known.
struct Clocks {
  std::optional<double> sm_mhz, memory_mhz;
  friend bool operator==(const Clocks&, const Clocks&) = default;
};

class DevicePeaks {
 public:
  /// Dense operations per second. `tensor_cores`: for a kernel that uses them. Without them, floats
  /// of 16 bits or fewer count as 32-bit arithmetic, which is how kernels compute them. Absent for
  /// integers other than 8-bit ones on tensor cores.
  [[nodiscard]] std::optional<Peak> flops(DType dtype, bool tensor_cores) const;
  /// Peak bandwidth of the device's memory.
  [[nodiscard]] std::optional<Peak> bytes() const { return bytes_; }
  /// Where the numbers come from: a data sheet's name, "derived", or empty.
  [[nodiscard]] std::string_view source() const { return source_; }
  /// The device whose numbers they are, if its own have no source; else empty.
  [[nodiscard]] std::string_view nearest() const { return nearest_; }

 private:
  friend DevicePeaks device_peaks(const DeviceRow& device);
  friend DevicePeaks device_peaks(const DeviceRow& device, const Clocks& clocks);
  friend DevicePeaks peaks_at_clock(const DeviceRow& device, std::uint32_t clock_khz);
  enum Unit : std::uint8_t {
    kFp64,
    kFp64Tc,
    kFp32,
    kTf32,
    kFp16,
    kBf16,
    kFp8,
    kInt8,
    kFp4,
    kUnits
  };

  std::array<std::optional<Peak>, kUnits> flops_;
  std::optional<Peak> bytes_;
  std::string_view source_, nearest_;
};

DevicePeaks device_peaks(const DeviceRow& device);

/// The peaks at these clocks. Arithmetic follows the clock of the multiprocessors, from the clock
/// to which the stated peak belongs: data sheets rate tensor cores below the highest clock.
/// Bandwidth follows the clock of the memory, and is never above the stated one. Peaks that cannot
/// be scaled stay as they are.
DevicePeaks device_peaks(const DeviceRow& device, const Clocks& clocks);

/// The peaks of the multiprocessors at that clock, with whichever accumulator is fastest. Without
/// the memory. Absent for a compute capability that rates.inc lacks.
DevicePeaks peaks_at_clock(const DeviceRow& device, std::uint32_t clock_khz);

}  // namespace prof::devices
