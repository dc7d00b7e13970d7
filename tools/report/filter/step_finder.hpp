// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepFinder: the step of a row of the host (a range, a call, a mark), found as that of GPU work
// launched there: by the innermost step on its stack, in a backward node that of its forward op, or
// else by the step open at its time. One thread.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzers/stacks/stack_walker.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::reports {

class StepFinder {
 public:
  /// The filter has steps.
  StepFinder(TraceReader& trace, const RowFilter& filter, const FindLastStep& find_last);
  StepFinder(const StepFinder&) = delete;
  StepFinder& operator=(const StepFinder&) = delete;

  /// Whether the row is in a chosen step; `seen` gets its step.
  [[nodiscard]] bool takes(RangeId innermost, std::optional<std::int64_t> time_ns, StepSet& seen);

 private:
  StackWalker stacks_;
  StepFilter chosen_;
  std::int64_t begin_ns_;  // of the first chosen step
};

}  // namespace prof::reports
