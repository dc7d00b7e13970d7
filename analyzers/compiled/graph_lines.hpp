// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where nodes of a compiled backward graph come from if its table of nodes is not in the trace: the
// graph that Inductor prints after its passes states a line of the program for each node, and
// Dynamo's table the modules that run the line. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "analyzers/compiled/source_nodes.hpp"

namespace prof::compiled {

/// A node and where the program calls what it is of: "model.py:42"; empty: not told.
struct NodeLine {
  std::string_view name;
  std::string_view where;
};

/// Of "# File: /home/u/model.py:42 in forward, code: y = f(x)" and the lines below,
/// "mul: "f32[4]" = torch.ops.aten.mul.Tensor(a, b)".
std::vector<NodeLine> read_node_lines(std::string_view graph);

/// The nodes, and in `sources`, for each time that Dynamo's graph runs one of their lines, a source
/// node that stands for all of the line: in the module that has all of its calls. A line that runs
/// several times, in several modules, is that run which is nearest to the line before: a guess.
std::vector<GraphNode> place_by_lines(const std::vector<NodeLine>& lines,
                                      std::vector<SourceNode>& sources);

}  // namespace prof::compiled
