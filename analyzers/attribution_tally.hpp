// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AttributionTally: counts what could not be attributed, row by row. Owned by one cursor.
#pragma once

#include <string>

#include "analyzers/compiled/compiled_work.hpp"
#include "analyzers/graphs/replay_tracker.hpp"
#include "analyzers/held_rows.hpp"
#include "analyzers/model/attribution_counts.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class AttributionTally {
 public:
  /// All must outlive it.
  AttributionTally(TraceReader& reader, StackWalker& stacks, const ReplayTracker& replays,
                   const CompiledWork& compiled)
      : reader_(reader), stacks_(stacks), replays_(replays), compiled_(compiled) {}

  /// The stack of a row that is taken, and whether the row is attributed by a graph's node instead.
  void add_stack(const StackMeaning& stack);
  void add_replayed() { ++counts_.replayed; }

  /// A row that is returned.
  void add(const HeldRow& row);

  /// With what the stacks and the graphs have counted.
  [[nodiscard]] AttributionCounts counts() const;

 private:
  void add_without_layer(const HeldRow& kernel);
  void add_contradictions(const Attribution& kernel);
  void add_unknown_op(const std::string& op);
  void add_library(const KernelFacts& kernel);

  TraceReader& reader_;
  StackWalker& stacks_;
  const ReplayTracker& replays_;
  const CompiledWork& compiled_;
  const std::string unseen_libraries_ = reader_.meta("library_calls_unseen");
  AttributionCounts counts_;
};

}  // namespace prof
