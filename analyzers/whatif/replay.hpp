// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// replay: when everything of a graph happens if some of it changes: one pass, nothing is allocated
// for a node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzers/whatif/step_graph.hpp"
#include "libprof/model/times.hpp"

namespace prof::whatif {

/// How a node takes part in a replay.
enum class NodeUse : std::uint8_t {
  kUsual,
  kNoLag,         ///< It starts as soon as what it waits for has ended.
  kWaitsForHost,  ///< Of its edges only the first counts: a call that does not wait for the GPU.
  kIsGone,  ///< GPU work that does not run: what comes behind it waits for what it waited for.
};

/// A changed graph, by node. Empty: as recorded.
struct Overlay {
  std::vector<std::int64_t> durations_ns;
  std::vector<NodeUse> uses;
};

enum class Residuals : std::uint8_t {
  kOwn,   ///< Each as it was: nothing changed, everything happens as observed.
  kNone,  ///< Every wait is as long as the lag of its class.
};

struct ReplayOptions {
  Residuals residuals = Residuals::kOwn;
  /// The GPU begins with nothing queued. As recorded, the first step finds what its predecessors
  /// queued, and a faster GPU would live on that for some steps.
  bool from_empty_queue = false;
  const Lags* lags = nullptr;  ///< Null: the graph's.
  /// Nodes that keep their residuals; null: as `residuals` says.
  const std::vector<bool>* keep = nullptr;
};

struct Times {
  std::vector<std::int64_t> ends_ns;     ///< By node.
  std::vector<std::int64_t> periods_ns;  ///< By step of the graph.
};

/// `times` may be those of another replay, whose memory is used again.
void replay(const StepGraph& graph, const Overlay& changes, const ReplayOptions& options,
            Times& times);
Times replay(const StepGraph& graph, const Overlay& changes = {},
             const ReplayOptions& options = {});

/// When a node starts, by a replay.
inline std::int64_t start_ns(const StepGraph& graph, const Overlay& changes, const Times& times,
                             NodeId node) {
  const std::int64_t duration =
      changes.durations_ns.empty() ? graph.nodes[node].duration_ns : changes.durations_ns[node];
  return difference_of_times(times.ends_ns[node], duration);
}

}  // namespace prof::whatif
