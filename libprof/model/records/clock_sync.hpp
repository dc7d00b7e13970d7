// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Clocks.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// One instant on three clocks, sampled about every second.
struct ClockSyncRecord {
  std::int64_t realtime_ns = 0;
  std::int64_t monotonic_ns = 0;
  std::int64_t cupti_ns = 0;
  friend bool operator==(const ClockSyncRecord&, const ClockSyncRecord&) = default;
};

template <>
struct RecordKind<ClockSyncRecord> {
  using R = ClockSyncRecord;
  static constexpr std::string_view kWord = "clock_sync";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("realtime_ns", &R::realtime_ns);
    v("monotonic_ns", &R::monotonic_ns);
    v("cupti_ns", &R::cupti_ns);
  }
  static constexpr TableText kTable = {
      "clock_sync", "The same instant on three clocks, sampled about every second."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::process_id());
    v(column::value("realtime_ns", &R::realtime_ns, "CLOCK_REALTIME, ns since the epoch"));
    v(column::value("monotonic_ns", &R::monotonic_ns, "CLOCK_MONOTONIC, ns"));
    v(column::value("cupti_ns", &R::cupti_ns, "cuptiGetTimestamp, ns"));
  }
};

}  // namespace prof
