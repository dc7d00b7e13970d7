// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepWindow: the part of a trace that a graph is built from: its steady steps, and one before
// them, from which they take over the queue.
#pragma once

#include <optional>
#include <vector>

#include "analyzers/timeline/judged_steps.hpp"
#include "analyzers/whatif/recorded_run.hpp"

namespace prof::whatif {

struct StepWindow {
  HostWindow host;
  std::vector<RunStep> steps;  ///< By GPU, in order of time.
};

/// Of the last captured part of the run that has steady steps, and of the last ones of many. None:
/// the trace has no steady step.
std::optional<StepWindow> choose_window(const JudgedSteps& steps);

}  // namespace prof::whatif
