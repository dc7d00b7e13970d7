// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fields that kernels, memory copies and memory sets have in common.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// The way in which GPU work was launched. A launch key is (correlation, graph node): graph work
/// has both, work launched by a kernel may have neither.
enum class Origin : std::uint8_t { kApi, kGraph, kDevice, kNone };

template <>
struct EnumWords<Origin> {
  static constexpr std::array<std::string_view, 4> kWords = {"api", "graph", "device", "none"};
};

/// Values as in CUpti_ActivityMemoryKind, and one that it does not have.
enum class MemoryKind : std::uint8_t {
  kUnknown,
  kPageable,
  kPinned,
  kDevice,
  kArray,
  kManaged,
  kDeviceStatic,
  kManagedStatic,
  kHost,  ///< Pageable or pinned: AMD's profiler does not distinguish them.
};

template <>
struct EnumWords<MemoryKind> {
  static constexpr std::array<std::string_view, 9> kWords = {
      "unknown", "pageable",      "pinned",         "device", "array",
      "managed", "device_static", "managed_static", "host"};
};

/// Fields common to all GPU work.
struct GpuWork {
  Correlation correlation = 0;
  /// CUPTI's graph node id (upper half: the graph's id); 0: not in a graph.
  std::uint64_t graph_node = 0;
  std::uint32_t graph = 0;  ///< CUPTI's graph id.
  Origin origin = Origin::kApi;
  std::uint32_t device = 0, context = 0, stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const GpuWork&, const GpuWork&) = default;
};

/// RecordKind::fields() of the common fields.
constexpr void gpu_work_fields(auto&& v) {
  using R = GpuWork;
  v("correlation", &R::correlation);
  v("graph_node", &R::graph_node);
  v("graph", &R::graph);
  v("origin", &R::origin);
  v("device", &R::device);
  v("context", &R::context);
  v("stream", &R::stream);
  v("start_ns", &R::start_ns);
  v("end_ns", &R::end_ns);
}

}  // namespace prof
