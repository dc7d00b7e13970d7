// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// build_graph: calls and works of a run to a graph of what waited for what (step_graph.hpp). Each
// call is followed by its works, so the order of calls is topological: work waits only for what was
// launched before it.
#pragma once

#include "analyzers/whatif/recorded_run.hpp"
#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

/// The graph, with lags of its steady steps and the residuals that they leave (lags.hpp).
StepGraph build_graph(const RecordedRun& run);

}  // namespace prof::whatif
