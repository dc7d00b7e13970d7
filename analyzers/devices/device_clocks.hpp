// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The clocks at which work ran, by the samples of its GPU's state: those of the nearest sample, at
// most three seconds away. A sample is a moment of a clock that changes many times a second under a
// power cap, so each counts as the median of itself and its neighbors, two on either side. Samples
// of an idle GPU say nothing about work.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyzers/devices/device_peaks.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// The bit of nvmlClocksEventReasons that means that nothing runs, and the clocks go down for that.
inline constexpr std::uint64_t kIdleReason = 0x01;

class DeviceClocks {
 public:
  /// A sample of a GPU that was not idle.
  struct Sample {
    std::int64_t time_ns = 0;  ///< Since the start of the trace.
    std::optional<std::uint32_t> sm_mhz, memory_mhz, power_mw;
    std::uint64_t reasons = 0;  ///< Bits nvmlClocksEventReason*; 0 also where they are not known.
  };

  DeviceClocks() = default;
  /// Reads the samples of a trace.
  explicit DeviceClocks(TraceReader& trace);
  [[nodiscard]] const Status& status() const { return status_; }

  /// In order of time, by CUDA device number.
  [[nodiscard]] const std::vector<Sample>& of(std::uint32_t device) const;
  /// At that time; nothing known: no sample is near.
  [[nodiscard]] devices::Clocks at(std::uint32_t device, std::int64_t time_ns) const;

 private:
  struct OfDevice {
    std::vector<Sample> samples;
    std::vector<devices::Clocks> clocks;  // of each sample, with its neighbors
  };
  std::map<std::uint32_t, OfDevice> devices_;
  Status status_;
};

}  // namespace prof
