// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// host_periods: how long the host takes for each step if it never waits for the GPU. No step that
// repeats is shorter, though one alone may be, as long as it finds a queue that steps before it
// have filled.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/whatif/replay.hpp"
#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

/// By step of the graph; without the way to the next step where that is not known. 0: the launch of
/// its first or last work is not recorded.
std::vector<std::int64_t> host_periods(const StepGraph& graph, const Overlay& changes = {});

}  // namespace prof::whatif
