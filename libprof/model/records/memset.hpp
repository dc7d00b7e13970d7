// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory sets.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"
#include "libprof/model/records/gpu_work.hpp"

namespace prof {

struct MemsetRecord : GpuWork {
  MemoryKind memory = MemoryKind::kUnknown;
  bool async = false;
  std::uint32_t value = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const MemsetRecord&, const MemsetRecord&) = default;
};

template <>
struct RecordKind<MemsetRecord> {
  using R = MemsetRecord;
  static constexpr std::string_view kWord = "memset";
  static constexpr void fields(auto&& v) {
    gpu_work_fields(v);
    v("memory", &R::memory);
    v("async", &R::async);
    v("value", &R::value);
    v("bytes", &R::bytes);
  }
};

}  // namespace prof
