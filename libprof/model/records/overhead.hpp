// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Time spent in CUDA or CUPTI itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// Time spent in CUDA or CUPTI itself.
struct OverheadRecord {
  /// CUPTI's word: "DRIVER_COMPILER", "CUPTI_BUFFER_FLUSH", "LAZY_FUNCTION_LOADING", ...
  StringId kind;
  std::uint32_t os_tid = 0;  ///< 0: unknown, or the whole process.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const OverheadRecord&, const OverheadRecord&) = default;
};

template <>
struct RecordKind<OverheadRecord> {
  using R = OverheadRecord;
  static constexpr std::string_view kWord = "overhead";
  static constexpr void fields(auto&& v) {
    v("kind", &R::kind);
    v("os_tid", &R::os_tid);
    v("start_ns", &R::start_ns);
    v("end_ns", &R::end_ns);
  }
  static constexpr TableText kTable = {"overhead", "Time spent in CUDA or CUPTI itself."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::process_id());
    v(column::value("kind_id", &R::kind, "string.id of CUPTI's word, \"DRIVER_COMPILER\""));
    v(column::value("os_tid", &R::os_tid, "0: of the process or unknown"));
    v(column::time("start_ns", &R::start_ns));
    v(column::duration("duration_ns", &R::start_ns, &R::end_ns));
  }
};

}  // namespace prof
