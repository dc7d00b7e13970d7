// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a step: from its end back along the latest predecessors, without gaps, to
// its begin. Its pieces add up to the step's period.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "analyzers/whatif/replay.hpp"
#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

/// What the step waits for.
enum class PathKind : std::uint8_t {
  kKernel,
  kTransfer,     ///< A kernel that moves data between GPUs, its waits for other ranks included.
  kCopy,         ///< A copy or a set.
  kTurnaround,   ///< The next work was queued: the GPU's time between two of a stream.
  kStream,       ///< The next work waits for another stream; estimated.
  kLaunch,       ///< A call that launches, and from there to the start of its work.
  kCall,         ///< Another CUDA call, without what it waits for.
  kHost,         ///< The host on its way to a call: Python, the framework, anything else.
  kWait,         ///< A call returns after the work that it waited for, or finds room in the queue.
  kUnexplained,  ///< Work waits for something that the trace does not show.
};
/// In a word.
std::string_view name(PathKind kind);

struct PathPiece {
  PathKind kind = PathKind::kKernel;
  NodeId node = kNoNode;  ///< That takes the time, or for which something is waited.
  bool is_lag = false;    ///< The latter.
  bool is_tail = false;   ///< From the last work of a step, `node`, to its end.
  std::int64_t begin_ns = 0, end_ns = 0;
};

/// Visits the pieces of a step's path, the last one first.
void walk_path(const StepGraph& graph, const Times& times, const StepMark& step,
               const std::function<void(const PathPiece&)>& visit);

/// Of the paths of the GPU's steady steps, the part that no edge explains: 0.01 is 1 %.
double unexplained_part(const StepGraph& graph, const Times& times, std::uint32_t device);

}  // namespace prof::whatif
