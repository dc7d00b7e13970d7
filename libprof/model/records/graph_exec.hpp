// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Executables of CUDA graphs.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// The instantiation of a CUDA graph. While it lasts, CUDA moves the nodes of child graphs and of
/// bodies of conditional nodes into the executable, and ends the graphs that held them
/// (GraphEndRecord), which is the only record of where these nodes are.
struct GraphExecRecord {
  std::uint32_t graph_exec = 0;  ///< CUPTI's id of the executable, in the ids of its nodes.
  std::uint32_t graph = 0;       ///< The graph from which it was made.
  ThreadId thread;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const GraphExecRecord&, const GraphExecRecord&) = default;
};

template <>
struct RecordKind<GraphExecRecord> {
  using R = GraphExecRecord;
  static constexpr std::string_view kWord = "graph_exec";
  static constexpr void fields(auto&& v) {
    v("graph_exec", &R::graph_exec);
    v("graph", &R::graph);
    v("thread", &R::thread);
    v("start_ns", &R::start_ns);
    v("end_ns", &R::end_ns);
  }
  static constexpr TableText kTable = {.name = "graph_exec", .doc = "Executables of CUDA graphs."};
  static constexpr void columns(auto&& v) {
    v(column::key("graph_exec", &R::graph_exec, "CUPTI's graph id of the executable"));
    v(column::value("graph", &R::graph, "CUPTI's id of the graph it was made of"));
    v(column::value("thread_id", &R::thread, "thread.id"));
    v(column::time("start_ns", &R::start_ns));
    v(column::duration("duration_ns", &R::start_ns, &R::end_ns));
  }
};

}  // namespace prof
