// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where nodes of a compiled backward graph come from if its table of nodes is not in the trace,
// because a process without a capture has filled the compiler's cache. The printed graphs state a
// line of the program for each node, and Dynamo's table which modules run the line. Where several
// do, the operands of a node show which one is meant: the weight of a layer, for example, or a
// value that the forward graph has kept of it. Pure.
#pragma once

#include <vector>

#include "analyzers/compiled/printed_graph.hpp"
#include "analyzers/compiled/source_nodes.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof::compiled {

/// The nodes of `backward`, in its order. `forward`: the graph of the same compilation; empty: not
/// known, so that only the order distinguishes equal lines: a guess.
std::vector<GraphNode> place_nodes(const PrintedGraph& backward, const PrintedGraph& forward,
                                   const std::vector<SourceNode>& sources,
                                   const ops::OpCatalog& ops);

}  // namespace prof::compiled
