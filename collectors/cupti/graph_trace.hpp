// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The ways to record launches of CUDA graphs: the option --graph-trace. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace prof::collectors {

enum class GraphTrace : std::uint8_t {
  kNode,   ///< A record for each kernel, copy and set of the graph.
  kGraph,  ///< One record for each launch.
};

inline std::optional<GraphTrace> parse_graph_trace(std::string_view word) {
  if (word == "node") return GraphTrace::kNode;
  if (word == "graph") return GraphTrace::kGraph;
  return std::nullopt;
}

/// The graph launches that a driver records as a whole.
struct WholeGraphs {
  bool launched = false;    ///< Graphs that a call launches.
  bool by_kernels = false;  ///< Graphs that a kernel launches.
};

}  // namespace prof::collectors
