// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/chosen_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "libprof/base/count_text.hpp"
#include "tools/report/filter/capture_filter.hpp"

namespace prof::reports {

ChosenTimeline::ChosenTimeline(const TraceMember& trace, const RowInput& input, Detail detail)
    : trace_(trace),
      input_(input),
      detail_(detail),
      ranges_(trace.reader, input.filter, input.tally.filter, find_last_step(input.reading)) {}

WorkTimeline& ChosenTimeline::begin() {
  WorkTimeline::TakesRange takes;
  if (!input_.filter.ranges.empty()) {
    takes = [this](RangeId innermost, std::optional<std::int64_t> time_ns) {
      return ranges_.takes_ranges(innermost, time_ns);
    };
  }
  timeline_ = input_.reading.new_timeline(trace_.reader, detail_, std::move(takes));
  return *timeline_;
}

/// If there are no ranges to choose among, the timeline may be one that others have read.
void ChosenTimeline::read() {
  if (input_.filter.ranges.empty()) {
    timeline_ = input_.reading.timeline(trace_.reader, detail_);
  } else {
    begin().read(*input_.reading.work(trace_.reader, TraceReader::Work::kKernelsAndCopies));
  }
}

/// The steps that --step asks for.
std::optional<StepFilter> ChosenTimeline::choice() {
  std::optional<StepFilter> filter = input_.filter.step;
  if (!filter) return filter;
  std::optional<std::int64_t> last;
  for (const auto& [part, of] : timeline_->parts()) {
    for (const auto& [step, work] : of.steps) {
      input_.tally.filter.steps.add(step);
      if (work.kernels > 0) last = std::max(last, std::optional(step));
    }
  }
  return filter->with_last ? filter->with_last_at(last) : filter;
}

const JudgedSteps& ChosenTimeline::steps() {
  if (steps_) return *steps_;
  timeline_->finish();
  StepChoice chosen;
  chosen.takes_capture = [this](std::optional<std::uint32_t> capture) {
    return takes_capture(input_.filter, trace_.reader.captures(), capture);
  };
  if (const std::optional<StepFilter> filter = choice()) {
    chosen.takes_step = [filter](std::int64_t step) { return filter->holds(step); };
  }
  chosen.are_some_asked_for = input_.filter.step || !input_.filter.ranges.empty();
  return steps_.emplace(*timeline_, std::move(chosen));
}

Result<TypicalSteps> ChosenTimeline::typical() {
  Result<TypicalSteps> typical = typical_steps(steps(), *timeline_);
  if (typical && typical->empty() && !input_.filter.ranges.empty()) {
    input_.tally.remarks.emplace_back(
        "no work in these ranges is in a step; --step-range makes ranges steps");
  }
  return typical;
}

Result<TypicalSteps> typical_steps(const TraceMember& trace, const RowInput& input) {
  ChosenTimeline timeline(trace, input, ChosenTimeline::Detail::kCauses);
  timeline.read();
  return timeline.typical();
}

void add_remark(const OutsideSum& sum, std::uint32_t device, bool is_one_of_several,
                std::vector<std::string>& remarks) {
  if (sum.steps == 0) return;
  const bool is_one = sum.steps == 1;
  remarks.push_back(
      fmt::format("{}{} {} {:.3f} ms of GPU work in no step behind {}, which {}: not steady",
                  is_one_of_several ? fmt::format("GPU {}: ", device) : "",
                  count_text(sum.steps, "step", "steps"), is_one ? "has" : "have",
                  static_cast<double>(sum.time_ns) / 1e6, is_one ? "it" : "them",
                  is_one ? "its period spans" : "their periods span"));
}

}  // namespace prof::reports
