// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lags of a graph's edges, by class: over nodes of steady steps for which the edge's predecessor
// was the latest by far, the median, of launches the lower quartile: what makes a launch late, a
// module that is loaded or a clock that rises, is no property of it. And residuals, what a node
// waited beyond that. With its residuals a graph reproduces what was observed, whatever its edges
// are: that proves nothing. Without them, with lags of other steps, it predicts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

/// The nodes of these steps of the graph.
std::vector<bool> nodes_of(const StepGraph& graph, std::span<const std::size_t> steps);

/// Lags of the nodes that are taken; a class of which too few are known has its usual lag.
Lags calibrate(const StepGraph& graph, const std::vector<bool>& takes);

/// The residuals that the graph's lags leave.
void set_residuals(StepGraph& graph);

/// Both, with the lags of all steady steps.
void fit(StepGraph& graph);

}  // namespace prof::whatif
