// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of CUDA graphs.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A CUDA graph node, with the stack under which the program created it.
struct GraphNodeRecord {
  std::uint64_t graph_node = 0;
  std::uint32_t graph = 0;
  std::uint64_t original_node = 0;  ///< The node from which this one was cloned, or 0.
  std::uint32_t node_type = 0;      ///< CUgraphNodeType.
  StringId function;                ///< Mangled name of a kernel that is not a clone.
  Dim3 grid{0, 0, 0};               ///< Grid of that kernel; 0: unknown.
  ThreadId thread;
  RangeId stack = 0;
  std::int64_t time_ns = 0;
  friend bool operator==(const GraphNodeRecord&, const GraphNodeRecord&) = default;
};

template <>
struct RecordKind<GraphNodeRecord> {
  using R = GraphNodeRecord;
  static constexpr std::string_view kWord = "graph_node";
  static constexpr void fields(auto&& v) {
    v("graph_node", &R::graph_node);
    v("graph", &R::graph);
    v("original_node", &R::original_node);
    v("node_type", &R::node_type);
    v("function", &R::function);
    v("grid", &R::grid);
    v("thread", &R::thread);
    v("stack", &R::stack);
    v("time_ns", &R::time_ns);
  }
  static constexpr TableText kTable = {"graph_node",
                                       "Nodes of CUDA graphs as the program created them."};
  static constexpr void columns(auto&& v) {
    v(column::key("graph_node", &R::graph_node, "CUPTI's graph node id, as in work_origin"));
    v(column::value("graph", &R::graph, "CUPTI's graph id"));
    v(column::value("original_node", &R::original_node,
                    "the node from which it was cloned, 0: none"));
    v(column::value("node_type", &R::node_type, "CUgraphNodeType"));
    v(column::value("thread_id", &R::thread, "thread.id"));
    v(column::value("range_id", &R::stack,
                    "range.id: innermost open range when the node was created, 0: none"));
    v(column::time("time_ns", &R::time_ns));
    v(column::value("function_id", &R::function,
                    "string.id: mangled name of the kernel, 0: unknown, or a clone"));
    v(column::part("grid_x", &R::grid, &Dim3::x, "blocks of that kernel, 0: unknown"));
    v(column::part("grid_y", &R::grid, &Dim3::y, ""));
    v(column::part("grid_z", &R::grid, &Dim3::z, ""));
  }
};

}  // namespace prof
