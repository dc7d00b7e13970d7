// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ends of CUDA graphs.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A CUDA graph or executable that was destroyed, by the program or by CUDA itself.
struct GraphEndRecord {
  std::uint32_t graph = 0;
  ThreadId thread;
  std::int64_t time_ns = 0;
  friend bool operator==(const GraphEndRecord&, const GraphEndRecord&) = default;
};

template <>
struct RecordKind<GraphEndRecord> {
  using R = GraphEndRecord;
  static constexpr std::string_view kWord = "graph_end";
  static constexpr void fields(auto&& v) {
    v("graph", &R::graph);
    v("thread", &R::thread);
    v("time_ns", &R::time_ns);
  }
  static constexpr TableText kTable = {
      .name = "graph_end",
      .doc =
          "CUDA graphs and executables that were destroyed. One that ends while an executable is "
          "made on its thread (graph_exec) was a child graph or the body of a conditional node: "
          "its nodes have moved into the executable."};
  static constexpr void columns(auto&& v) {
    v(column::key("graph", &R::graph, "CUPTI's graph id"));
    v(column::value("thread_id", &R::thread, "thread.id"));
    v(column::time("time_ns", &R::time_ns));
  }
};

}  // namespace prof
