// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUs.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

struct DeviceRecord {
  std::uint32_t device = 0;  ///< CUDA ordinal as CUPTI reports it.
  std::string_view name;
  std::string_view uuid;  ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", or empty.
  std::uint32_t compute_major = 0, compute_minor = 0;
  std::uint32_t sm_count = 0;
  std::uint32_t core_clock_khz = 0;
  std::uint32_t memory_clock_khz = 0;
  std::uint32_t memory_bus_bits = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_bandwidth_bytes_per_s = 0;
  std::uint32_t l2_bytes = 0;
  friend bool operator==(const DeviceRecord&, const DeviceRecord&) = default;
};

template <>
struct RecordKind<DeviceRecord> {
  using R = DeviceRecord;
  static constexpr std::string_view kWord = "device";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("device", &R::device);
    v("name", &R::name);
    v("uuid", &R::uuid);
    v("compute_major", &R::compute_major);
    v("compute_minor", &R::compute_minor);
    v("sm_count", &R::sm_count);
    v("core_clock_khz", &R::core_clock_khz);
    v("memory_clock_khz", &R::memory_clock_khz);
    v("memory_bus_bits", &R::memory_bus_bits);
    v("memory_bytes", &R::memory_bytes);
    v("memory_bandwidth_bytes_per_s", &R::memory_bandwidth_bytes_per_s);
    v("l2_bytes", &R::l2_bytes);
  }
  static constexpr TableText kTable = {"device", "GPUs visible to the program."};
  static constexpr void columns(auto&& v) {
    v(column::key("device", &R::device, "CUDA ordinal as CUPTI reports it"));
    v(column::process_id());
    v(column::value("name", &R::name, ""));
    v(column::value("uuid", &R::uuid, "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"));
    v(column::value("compute_major", &R::compute_major, "compute capability", kSqlNumberOrNull));
    v(column::value("compute_minor", &R::compute_minor, "compute capability", kSqlNumberOrNull));
    v(column::value("sm_count", &R::sm_count, "streaming multiprocessors", kSqlNumberOrNull));
    v(column::value("core_clock_khz", &R::core_clock_khz, "kHz", kSqlNumberOrNull));
    v(column::value("memory_clock_khz", &R::memory_clock_khz, "kHz", kSqlNumberOrNull));
    v(column::value("memory_bus_bits", &R::memory_bus_bits, "bits", kSqlNumberOrNull));
    v(column::value("memory_bytes", &R::memory_bytes, "bytes", kSqlNumberOrNull));
    v(column::value("memory_bandwidth_bytes_per_s", &R::memory_bandwidth_bytes_per_s, "bytes/s",
                    kSqlNumberOrNull));
    v(column::value("l2_bytes", &R::l2_bytes, "bytes", kSqlNumberOrNull));
  }
};

}  // namespace prof
