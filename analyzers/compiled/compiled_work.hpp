// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CompiledWork: what kernels of compiled code mean: the call of the code that launched them
// (compiled_graphs.hpp) on top of what is around the call of the graph. Takes the rows of a trace
// in launch order. One thread.
#pragma once

#include <string_view>

#include "analyzers/compiled/compiled_graphs.hpp"
#include "analyzers/graphs/replay_tracker.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class CompiledWork {
 public:
  /// All must outlive it.
  CompiledWork(TraceReader& reader, StackWalker& stacks, ReplayTracker& replays)
      : graphs_(reader), stacks_(stacks), replays_(replays) {}

  /// The meaning of the work of a kernel of that name; null: it is of no compiled graph, or its
  /// call is not known. `launch` is the meaning of the stack of its launch, `replayed` that of the
  /// stack that its graph's node was made under, or null. Valid until the next call.
  const StackMeaning* enter(std::string_view kernel, const StackMeaning& launch,
                            const StackMeaning* replayed);

  [[nodiscard]] const CompiledCounts& counts() const { return graphs_.counts(); }
  [[nodiscard]] const Status& status() const { return graphs_.status(); }

 private:
  CompiledGraphs graphs_;
  StackWalker& stacks_;
  ReplayTracker& replays_;
  StackMeaning meaning_;
};

}  // namespace prof
