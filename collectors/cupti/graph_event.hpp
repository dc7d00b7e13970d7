// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Events of CUDA graphs in a thread's ring: written by graph_events.cpp, read by graph_records.cpp.
#pragma once

#include <cstdint>

#include "collectors/core/events.hpp"

namespace prof::collectors {

/// Longer names of kernels count as unknown: a truncated name would be wrong.
inline constexpr std::uint32_t kMaxKernelNameBytes = 16 * 1024;

struct GraphNodeEvent {  // Followed by the kernel's name.
  static constexpr EventKind kKind = kGraphNodeEvent;
  EventHeader header;
  std::uint64_t graph_node;
  std::uint64_t original_node;
  RangeId stack;
  std::int64_t time_ns;
  std::uint32_t graph;
  std::uint32_t node_type;
  Dim3 grid;
  std::uint32_t name_bytes;
};

/// Written during a standby: the function of a kernel node. Its name follows.
struct GraphKernelEvent {
  static constexpr EventKind kKind = kGraphKernelEvent;
  EventHeader header;
  std::uint64_t graph_node;
  Dim3 grid;
  std::uint32_t name_bytes;
};

struct GraphExecEvent {
  static constexpr EventKind kKind = kGraphExecEvent;
  EventHeader header;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t graph_exec;
  std::uint32_t graph;
};

struct GraphEndEvent {
  static constexpr EventKind kKind = kGraphEndEvent;
  EventHeader header;
  std::int64_t time_ns;
  std::uint32_t graph;
  std::uint32_t unused;
};

struct GraphUpdateEvent {
  static constexpr EventKind kKind = kGraphUpdateEvent;
  EventHeader header;
  std::uint64_t graph_node;
  std::uint64_t like_node;
  RangeId stack;
  std::int64_t time_ns;
};

struct GraphLaunchEvent {
  static constexpr EventKind kKind = kGraphLaunchEvent;
  EventHeader header;
  Correlation correlation;
  std::uint32_t graph_exec;
  std::uint32_t unused;
};

}  // namespace prof::collectors
