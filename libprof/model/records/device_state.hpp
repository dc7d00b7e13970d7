// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// States of GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// The state of a GPU at one time, as NVML reports it. Values that NVML does not report are absent.
struct DeviceStateRecord {
  std::uint32_t device = 0;  ///< As DeviceRecord::device.
  std::int64_t time_ns = 0;
  std::optional<std::uint32_t> sm_clock_mhz, memory_clock_mhz;
  std::optional<std::uint32_t> power_mw;
  std::optional<std::uint32_t> temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  ///< Bits nvmlClocksEventReason*.
  std::optional<std::uint64_t> memory_used_bytes;
  friend bool operator==(const DeviceStateRecord&, const DeviceStateRecord&) = default;
};

template <>
struct RecordKind<DeviceStateRecord> {
  using R = DeviceStateRecord;
  static constexpr std::string_view kWord = "device_state";
  static constexpr void fields(auto&& v) {
    v("device", &R::device);
    v("time_ns", &R::time_ns);
    v("sm_clock_mhz", &R::sm_clock_mhz);
    v("memory_clock_mhz", &R::memory_clock_mhz);
    v("power_mw", &R::power_mw);
    v("temperature_c", &R::temperature_c);
    v("throttle_reasons", &R::throttle_reasons);
    v("memory_used_bytes", &R::memory_used_bytes);
  }
  static constexpr TableText kTable = {
      .name = "device_state",
      .doc =
          "States of the GPUs on which the program ran work, sampled by NVML (prof-run --trace "
          "device). NULL: NVML does not report it."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::process_id());
    v(column::value("device", &R::device, "device.device"));
    v(column::time("time_ns", &R::time_ns));
    v(column::value("sm_clock_mhz", &R::sm_clock_mhz, "MHz"));
    v(column::value("memory_clock_mhz", &R::memory_clock_mhz, "MHz"));
    v(column::value("power_mw", &R::power_mw, "mW, of the whole board"));
    v(column::value("temperature_c", &R::temperature_c, "degrees Celsius, of the GPU"));
    v(column::value("throttle_reasons", &R::throttle_reasons,
                    "why the clocks are not higher, bits nvmlClocksEventReason*: 1 idle, 2 clocks "
                    "set by an application, 4 power cap, 8 hardware slowdown, 16 sync boost, 32 "
                    "temperature, 64 hardware: temperature, 128 hardware: power, 256 display"));
    v(column::value("memory_used_bytes", &R::memory_used_bytes,
                    "bytes, by all processes and the driver"));
  }
};

}  // namespace prof
