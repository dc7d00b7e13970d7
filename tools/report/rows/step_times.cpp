// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/step_times.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "tools/report/rows/outside_work.hpp"

namespace prof::reports {

std::int64_t StepTimeRow::period_ns() const {
  return std::accumulate(state_ns.begin(), state_ns.end(), std::int64_t{0}, sum_of_times);
}

Cell StepTimeRow::host_ns() const {
  if (!extent.host_begin_ns || !extent.host_end_ns) return absent();
  return signed_number(difference_of_times(*extent.host_end_ns, *extent.host_begin_ns));
}

StepTimesOfTrace::StepTimesOfTrace(const TraceMember& trace, const RowInput& input) {
  WorkTimeline timeline(trace, input, WorkTimeline::Detail::kStates);
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
    row.outside_ns = sum_of_times(row.outside_ns, slice->outside_ns);
  }
  status_ = timeline.status();
  find_outside_work(input.tally.remarks);
}

void StepTimesOfTrace::find_outside_work(std::vector<std::string>& remarks) {
  std::map<std::uint32_t, OutsideWork> devices;
  for (const StepTimeRow& row : rows_) {
    if (!row.is_last) devices[row.part.device].add(row.period_ns(), row.outside_ns);
  }
  for (auto& [device, outside] : devices) {
    outside.finish();
    OutsideSum sum;
    for (StepTimeRow& row : rows_) {
      if (row.part.device != device || row.is_last || !outside.is_much(row.outside_ns)) continue;
      row.spans_outside = true;
      sum.add(row.outside_ns);
    }
    add_remark(sum, device, devices.size() > 1, remarks);
  }
}

StepTimeRow* StepTimesOfTrace::next() {
  while (at_ < rows_.size()) {
    StepTimeRow& row = rows_[at_++];
    if (chosen_->take(row.extent.step)) return &row;
  }
  return nullptr;
}

}  // namespace prof::reports
