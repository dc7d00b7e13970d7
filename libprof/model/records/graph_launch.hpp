// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches of executables with conditional nodes.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A launch of an executable. Recorded only in processes with conditional nodes: work in their
/// bodies has no correlation, so that the launch has to be found by the executable and time.
struct GraphLaunchRecord {
  Correlation correlation = 0;
  std::uint32_t graph_exec = 0;
  ThreadId thread;
  friend bool operator==(const GraphLaunchRecord&, const GraphLaunchRecord&) = default;
};

template <>
struct RecordKind<GraphLaunchRecord> {
  using R = GraphLaunchRecord;
  static constexpr std::string_view kWord = "graph_launch";
  static constexpr void fields(auto&& v) {
    v("correlation", &R::correlation);
    v("graph_exec", &R::graph_exec);
    v("thread", &R::thread);
  }
  static constexpr TableText kTable = {
      .name = "graph_launch",
      .doc =
          "Which executable a call launched. Only of processes whose graphs have conditional "
          "nodes: work in their bodies has no correlation."};
  static constexpr void columns(auto&& v) {
    v(column::key("correlation", &R::correlation, "api_call.correlation"));
    v(column::value("graph_exec", &R::graph_exec, "graph_exec.graph_exec"));
    v(column::value("thread_id", &R::thread, "thread.id"));
  }
};

}  // namespace prof
