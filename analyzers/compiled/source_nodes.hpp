// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the tables of nodes that prof_torch keeps (docs/graphs.md): what Dynamo's nodes are, and
// which of them the nodes of a graph that Inductor compiles come from. What is not as expected is
// left out. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace prof::compiled {

/// A call in the program's own code.
struct SourceNode {
  std::string path;    ///< Of its module, as named_modules() names it; empty: the compiled one.
  std::string target;  ///< "linear"
  std::string where;   ///< "model.py:42"
};

/// A node of the graph that is compiled.
struct GraphNode {
  std::string source;  ///< Name of the source node; empty: none.
  bool is_backward = false;
  bool is_recomputed = false;
};

template <typename Node>
using NodeTable = std::map<std::string, Node, std::less<>>;

NodeTable<SourceNode> read_source_nodes(std::string_view json);
NodeTable<GraphNode> read_graph_nodes(std::string_view json);

}  // namespace prof::compiled
