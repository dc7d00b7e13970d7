// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/judged_steps.hpp"

#include "tools/report/filter/capture_filter.hpp"

namespace prof::reports {
namespace {

StepForm form_of(const ChosenStep& step) {
  return {.period_ns = step.period_ns(),
          .outside_ns = step.work->outside_ns,
          .kernels = step.work->kernels,
          .threads = step.work->threads,
          .product_ns = step.work->products.peak_ns,
          .repeats = step.work->repeats,
          .is_whole = step.extent.is_whole};
}

/// What --step asks for; the tally learns which steps there are.
std::optional<StepFilter> choice_of(const RowInput& input, const WorkTimeline& timeline) {
  std::optional<StepFilter> filter = input.filter.step;
  if (!filter) return filter;
  std::optional<std::int64_t> last;
  for (const auto& [part, of] : timeline.parts()) {
    for (const auto& [step, work] : of.steps) {
      input.tally.filter.steps.add(step);
      if (work.kernels > 0) last = std::max(last, std::optional(step));
    }
  }
  return filter->with_last ? filter->with_last_at(last) : filter;
}

}  // namespace

JudgedSteps::JudgedSteps(const TraceMember& trace, const RowInput& input, WorkTimeline& timeline)
    : are_some_asked_for_(input.filter.step || !input.filter.ranges.empty()) {
  timeline.finish();
  const std::optional<StepFilter> filter = choice_of(input, timeline);
  for (const auto& [part, of] : timeline.parts()) {
    if (!takes_capture(input.filter, trace.reader.captures(), part.capture)) continue;
    for (const StepExtent& extent : of.periods.steps()) {
      if (filter && !filter->holds(extent.step)) continue;
      devices_[part.device].steps.push_back({part, extent, &of.steps.at(extent.step), {}});
    }
  }
  for (auto& [device, of] : devices_) {
    std::vector<StepForm> forms;
    for (const ChosenStep& step : of.steps) forms.push_back(form_of(step));
    of.judged = judge_steps(forms);
    for (std::size_t i = 0; i < of.steps.size(); ++i) {
      of.steps[i].judged = of.judged.steps[i];
      places_.emplace(std::pair{of.steps[i].part, of.steps[i].extent.step}, &of.steps[i]);
    }
  }
}

const ChosenStep* JudgedSteps::find(const DevicePart& part,
                                    const std::optional<std::int64_t>& step) const {
  if (!step) return nullptr;
  const auto place = places_.find({part, *step});
  return place == places_.end() ? nullptr : place->second;
}

}  // namespace prof::reports
