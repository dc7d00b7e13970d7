// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ReplayTracker: which replay of a CUDA graph work belongs to, and what it means: what its node was
// made under (graph_nodes.hpp), in the step of the launch and with ids of the replay's own. Takes
// the rows of a trace in launch order. One thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzers/base/replay_ids.hpp"
#include "analyzers/graphs/graph_nodes.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class ReplayTracker {
 public:
  /// As GraphNodes; `max_entries` bounds its tables.
  ReplayTracker(TraceReader& reader, StackWalker& stacks, std::size_t max_entries)
      : nodes_(reader, stacks), ids_(max_entries) {}

  /// The trace has graphs.
  [[nodiscard]] bool any() const { return nodes_.any(); }

  /// Learns what happened to graphs before the row's launch. Asks the stacks for their meanings:
  /// call before the meaning of the row's own stack.
  void advance(const GpuRow& row);

  /// The meaning of the row's work; null: it is of no graph's node, or its node is not known.
  /// `launch` is the meaning of the stack of its launch. Valid until the next call.
  const StackMeaning* enter(const GpuRow& row, const StackMeaning& launch);

  /// The innermost range that the node was made under of the row last entered, which has a meaning.
  [[nodiscard]] RangeId made_under() const { return made_under_; }

  /// The first id of the replay of the row last entered; of work in none, one that no op has.
  [[nodiscard]] std::uint64_t first_id() const { return ids_.first(); }

  /// An id of its own for an op of the row last entered that no range is for.
  std::uint64_t fresh_id() { return ids_.fresh(); }

  /// Rows of nodes that are not known.
  [[nodiscard]] std::uint64_t unknown() const { return nodes_.unknown(); }
  /// Call when the contexts of the stacks have become invalid.
  void forget_contexts() { nodes_.forget_contexts(); }
  [[nodiscard]] Status status() const { return nodes_.status(); }

 private:
  GraphNodes nodes_;
  ReplayIds ids_;
  Correlation replay_ = 0;  // whose ids are given out
  StackMeaning meaning_;
  RangeId made_under_ = 0;
};

}  // namespace prof
