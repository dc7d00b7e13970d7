// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes of CUDA graph nodes.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A change of the work of a CUDA graph's node, from then on.
struct GraphUpdateRecord {
  std::uint64_t graph_node = 0;  ///< Usually a node of an executable.
  std::uint64_t like_node = 0;   ///< The node whose work it took over; 0: the call states the work.
  ThreadId thread;
  RangeId stack = 0;
  std::int64_t time_ns = 0;
  friend bool operator==(const GraphUpdateRecord&, const GraphUpdateRecord&) = default;
};

template <>
struct RecordKind<GraphUpdateRecord> {
  using R = GraphUpdateRecord;
  static constexpr std::string_view kWord = "graph_update";
  static constexpr void fields(auto&& v) {
    v("graph_node", &R::graph_node);
    v("like_node", &R::like_node);
    v("thread", &R::thread);
    v("stack", &R::stack);
    v("time_ns", &R::time_ns);
  }
  static constexpr TableText kTable = {
      .name = "graph_update",
      .doc = "Changes of what nodes of CUDA graphs do. They hold for launches from then on."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::value("graph_node", &R::graph_node, "graph_node.graph_node"));
    v(column::value("like_node", &R::like_node,
                    "graph_node.graph_node whose work it took over (cudaGraphExecUpdate), 0: the "
                    "call sets the node's parameters"));
    v(column::value("thread_id", &R::thread, "thread.id"));
    v(column::value("range_id", &R::stack, "range.id: innermost open range at the call, 0: none"));
    v(column::time("time_ns", &R::time_ns));
  }
};

}  // namespace prof
