// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/judged_steps.hpp"

#include <utility>

namespace prof {
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

}  // namespace

JudgedSteps::JudgedSteps(WorkTimeline& timeline, StepChoice choice) : choice_(std::move(choice)) {
  timeline.finish();
  for (const auto& [part, of] : timeline.parts()) {
    for (const StepExtent& extent : of.periods.steps()) {
      if (!choice_.takes(part, extent.step)) continue;
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

}  // namespace prof
