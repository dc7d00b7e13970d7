// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// mark_steps: between which nodes of a graph each step lies.
#pragma once

#include <vector>

#include "analyzers/whatif/recorded_run.hpp"
#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

/// Steps whose first work is not in the graph are left out.
std::vector<StepMark> mark_steps(const RecordedRun& run, const StepGraph& graph);

}  // namespace prof::whatif
