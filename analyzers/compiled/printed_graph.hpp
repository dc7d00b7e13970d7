// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a graph as Inductor prints it after its passes: its nodes, their operands, and for each
// node its line of the program. Parts that are not understood are left out. Pure.
#pragma once

#include <set>
#include <string_view>
#include <vector>

namespace prof::compiled {

struct PrintedNode {
  std::string_view name;
  std::string_view where;   ///< "model.py:42", where the program calls it; empty: not stated.
  std::string_view target;  ///< "aten.mm.default"; empty: a part of another node's result.
  std::vector<std::string_view> operands;  ///< Nodes and inputs of the graph.
};

/// The compiler's passes name nodes by whole targets, "mm_default"; tracing by ops, "mm".
bool is_of_pass(const PrintedNode& node);

struct PrintedGraph {
  std::set<std::string_view> inputs;
  std::vector<PrintedNode> nodes;  ///< In the order in which they run.
};

/// Reads "def forward(self, a: .., b: ..):" and below it
/// "# File: /home/u/model.py:42 in forward, code: y = f(x)" and the lines
/// "mul: "f32[4]" = torch.ops.aten.mul.Tensor(a, b)". The text must outlive the result.
PrintedGraph read_printed_graph(std::string_view text);

}  // namespace prof::compiled
