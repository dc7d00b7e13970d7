// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/step_times.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace prof::reports {

std::int64_t StepTimeRow::period_ns() const {
  return std::accumulate(state_ns.begin(), state_ns.end(), std::int64_t{0}, sum_of_times);
}

Cell StepTimeRow::host_ns() const {
  if (!extent.host_begin_ns || !extent.host_end_ns) return absent();
  return signed_number(difference_of_times(*extent.host_end_ns, *extent.host_begin_ns));
}

StepTimesOfTrace::StepTimesOfTrace(const TraceMember& trace, const RowInput& input) {
  WorkTimeline timeline(trace, input);
  chosen_.emplace(input, timeline);
  std::map<DevicePart, std::unordered_map<std::int64_t, std::size_t>> places;
  for (const auto& [part, of] : timeline.parts()) {
    const std::vector<StepExtent> steps = of.periods.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      places[part].emplace(steps[i].step, rows_.size());
      StepTimeRow& row = rows_.emplace_back(trace);
      row.part = part;
      row.extent = steps[i];
      row.work = of.steps.at(steps[i].step);
      row.is_last = i + 1 == steps.size();
      if (row.is_last) continue;
      row.overlap_ns =
          std::max<std::int64_t>(0, difference_of_times(steps[i].end_ns, steps[i + 1].begin_ns));
    }
  }
  while (const TimelineSlice* const slice = timeline.next()) {
    if (!slice->time.step) continue;
    StepTimeRow& row = rows_[places.at(slice->part).at(*slice->time.step)];
    std::int64_t& time = row.state_ns[static_cast<std::size_t>(slice->time.state)];
    time = sum_of_times(time, difference_of_times(slice->time.end_ns, slice->time.begin_ns));
  }
  status_ = timeline.status();
}

StepTimeRow* StepTimesOfTrace::next() {
  while (at_ < rows_.size()) {
    StepTimeRow& row = rows_[at_++];
    if (chosen_->take(row.extent.step)) return &row;
  }
  return nullptr;
}

}  // namespace prof::reports
