// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/step_periods.hpp"

namespace prof {

void StepPeriods::add_work(std::int64_t step, std::int64_t begin_ns, std::int64_t end_ns) {
  StepExtent& extent = steps_[step];
  extent.step = step;
  extent.begin_ns = std::min(extent.begin_ns, begin_ns);
  extent.end_ns = std::max(extent.end_ns, end_ns);
}

void StepPeriods::add_launch(std::int64_t step, std::int64_t begin_ns, std::int64_t end_ns) {
  StepExtent& extent = steps_[step];
  extent.host_begin_ns = std::min(extent.host_begin_ns.value_or(begin_ns), begin_ns);
  extent.host_end_ns = std::max(extent.host_end_ns.value_or(end_ns), end_ns);
}

std::vector<StepExtent> StepPeriods::steps() const {
  std::vector<StepExtent> found;
  for (const auto& [number, extent] : steps_) {
    if (extent.begin_ns <= extent.end_ns) found.push_back(extent);
  }
  std::ranges::stable_sort(found, {}, &StepExtent::begin_ns);
  std::int64_t settled = INT64_MIN;
  for (StepExtent& extent : found) {
    settled = std::max(settled, extent.end_ns);
    extent.settled_ns = settled;
  }
  return found;
}

std::vector<StepBoundary> StepPeriods::boundaries() const {
  std::vector<StepBoundary> found;
  const std::vector<StepExtent> in_order = steps();
  for (const StepExtent& extent : in_order) found.push_back({extent.begin_ns, extent.step});
  if (!in_order.empty()) {
    found.push_back({std::max(in_order.back().end_ns, in_order.back().begin_ns), std::nullopt});
  }
  return found;
}

}  // namespace prof
