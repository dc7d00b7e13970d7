// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory copies.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"
#include "libprof/model/records/gpu_work.hpp"

namespace prof {

struct MemcpyRecord : GpuWork {
  /// CUpti_ActivityMemcpyKind, or one of kMigrations (copy_words.hpp).
  std::uint8_t copy_kind = 0;
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind destination = MemoryKind::kUnknown;
  bool async = false;
  std::uint32_t peer_device = 0;  ///< Destination device of a peer copy; otherwise equal to device.
  std::uint64_t bytes = 0;
  std::uint64_t count = 1;  ///< Copies of a batch that CUPTI reports in one record.
  friend bool operator==(const MemcpyRecord&, const MemcpyRecord&) = default;
};

template <>
struct RecordKind<MemcpyRecord> {
  using R = MemcpyRecord;
  static constexpr std::string_view kWord = "memcpy";
  static constexpr void fields(auto&& v) {
    gpu_work_fields(v);
    v("copy_kind", &R::copy_kind);
    v("source", &R::source);
    v("destination", &R::destination);
    v("async", &R::async);
    v("peer_device", &R::peer_device);
    v("bytes", &R::bytes);
    v("count", &R::count);
  }
};

}  // namespace prof
