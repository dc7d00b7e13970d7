// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lags of a graph's edges, by class: the median over nodes for which the edge's predecessor was the
// latest by far; and residuals, what a node waited beyond that. With its residuals a graph
// reproduces what was observed, whatever its edges are: that proves nothing. Without them, with
// lags of other steps, it predicts.
#pragma once

#include <functional>

#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

/// Lags of the nodes that are taken; a class of which too few are known has its usual lag.
Lags calibrate(const StepGraph& graph, const std::function<bool(NodeId)>& takes = {});

/// The residuals that the graph's lags leave.
void set_residuals(StepGraph& graph);

/// Both, over all nodes.
void fit(StepGraph& graph);

}  // namespace prof::whatif
