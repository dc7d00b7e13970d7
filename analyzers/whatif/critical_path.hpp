// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a step: from its end back along the latest predecessors, without gaps, to
// its begin. Its pieces add up to the step's period.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "analyzers/whatif/replay.hpp"
#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

/// What the step waits for.
enum class PathKind : std::uint8_t {
  kKernel,
  kTransfer,
  kCopy,
  kTurnaround,
  kStream,
  kLaunch,
  kCall,
  kHost,
  kWait,
  kUnexplained,
};
struct PathKindText {
  std::string_view word, meaning;
};
const PathKindText& text_of(PathKind kind);
std::span<const PathKindText> path_kind_texts();

struct PathPiece {
  PathKind kind = PathKind::kKernel;
  NodeId node = kNoNode;  ///< That takes the time, or for which something is waited.
  bool is_lag = false;    ///< The latter.
  std::int64_t begin_ns = 0, end_ns = 0;
};

/// Visits the pieces of a step's path, the last one first.
void walk_path(const StepGraph& graph, const Times& times, const StepMark& step,
               const std::function<void(const PathPiece&)>& visit);

}  // namespace prof::whatif
