// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"
#include "libprof/model/records/gpu_work.hpp"

namespace prof {

struct KernelRecord : GpuWork {
  StringId name;                       ///< Mangled, as CUPTI reports it.
  Dim3 grid, block, cluster{0, 0, 0};  ///< A cluster of all 0: launched without clusters.
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0;
  bool cooperative = false;
  friend bool operator==(const KernelRecord&, const KernelRecord&) = default;
};

template <>
struct RecordKind<KernelRecord> {
  using R = KernelRecord;
  static constexpr std::string_view kWord = "kernel";
  static constexpr void fields(auto&& v) {
    gpu_work_fields(v);
    v("name", &R::name);
    v("grid", &R::grid);
    v("block", &R::block);
    v("cluster", &R::cluster);
    v("registers_per_thread", &R::registers_per_thread);
    v("static_shared_bytes", &R::static_shared_bytes);
    v("dynamic_shared_bytes", &R::dynamic_shared_bytes);
    v("local_bytes_per_thread", &R::local_bytes_per_thread);
    v("cooperative", &R::cooperative);
  }
};

}  // namespace prof
