// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/step_finder.hpp"

#include <algorithm>

#include "analyzers/graphs/launched_work.hpp"

namespace prof::reports {
namespace {

using Step = std::optional<std::int64_t>;

Step step_at(StackWalker& stacks, RangeId innermost, const std::optional<std::int64_t>& time_ns) {
  stacks.trim();
  if (time_ns) stacks.advance(*time_ns);
  return stacks.steps().number_around(stacks.meaning(innermost).step, time_ns);
}

/// A walker goes forward in time, so this one is not the caller's.
Step last_step(TraceReader& trace, const RowFilter& filter) {
  StackWalker stacks(trace, StackWalker::kUsualEntries, filter.range_options);
  Step last;
  const auto work = launched_work(trace, TraceReader::Work::kKernels);
  while (const GpuRow* row = work->next()) {
    if (!row->launched) continue;
    last = std::max(last, step_at(stacks, row->stack, row->launch_start_ns));
  }
  return last;
}

}  // namespace

StepFinder::StepFinder(TraceReader& trace, const RowFilter& filter)
    : stacks_(trace, StackWalker::kUsualEntries, filter.range_options),
      chosen_(filter.step->with_last ? filter.step->with_last_at(last_step(trace, filter))
                                     : *filter.step) {}

bool StepFinder::takes(RangeId innermost, std::optional<std::int64_t> time_ns, StepSet& seen) {
  const Step step = step_at(stacks_, innermost, time_ns);
  if (!step) return false;
  seen.add(*step);
  return chosen_.holds(*step);
}

}  // namespace prof::reports
