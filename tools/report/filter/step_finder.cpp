// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/step_finder.hpp"

namespace prof::reports {

StepFinder::StepFinder(TraceReader& trace, const RowFilter& filter, const FindLastStep& find_last)
    : stacks_(trace, StackWalker::kUsualEntries, filter.range_options),
      chosen_(filter.step->with_last ? filter.step->with_last_at(find_last(trace)) : *filter.step),
      begin_ns_(stacks_.steps().begin_of_first(
          [this](std::int64_t number) { return chosen_.holds(number); })) {}

bool StepFinder::takes(RangeId innermost, std::optional<std::int64_t> time_ns, StepSet& seen) {
  const StepRanges& steps = stacks_.steps();
  // Everything in a step happens after its begin, in a backward node too: no need to read its
  // stack.
  const bool is_before = time_ns && *time_ns < begin_ns_;
  std::optional<OpenStep> own;
  // By and by: to read the forward ops of a whole trace at once would be a look-up for each page.
  if (time_ns) stacks_.advance(*time_ns);
  if (!is_before) {
    stacks_.trim();
    own = stacks_.meaning(innermost).step;
  }
  const std::optional<std::int64_t> step = steps.number_around(own, time_ns);
  if (!step) return false;
  seen.add(*step);
  return !is_before && chosen_.holds(*step);
}

}  // namespace prof::reports
