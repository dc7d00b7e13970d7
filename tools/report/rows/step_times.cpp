// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps as a row kind: one row for each step, GPU and captured part of the run, in order of time.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/report/rows/device_times.hpp"
#include "tools/report/rows/outside_work.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/trace_wise.hpp"

namespace prof::reports {
namespace {

/// One step on one GPU and the source of its cells.
class StepTimeRow final : public Row {
 public:
  explicit StepTimeRow(const TraceMember& trace) : trace_(trace) {}

  DevicePart part;
  StepExtent extent;
  StepWork work;
  std::array<std::int64_t, kDeviceStates> state_ns{};  ///< By DeviceState; the sum is the period.
  std::int64_t overlap_ns = 0;
  std::int64_t outside_ns = 0;
  bool is_last = false;
  bool spans_outside = false;  ///< See outside_work.hpp.

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override { return part.capture; }
  [[nodiscard]] std::int64_t period_ns() const;
  [[nodiscard]] std::int64_t in(DeviceState state) const {
    return state_ns[static_cast<std::size_t>(state)];
  }
  [[nodiscard]] Cell start_ns() const { return signed_number(on_axis(trace_, extent.begin_ns)); }
  [[nodiscard]] Cell host_ns() const;

 private:
  const TraceMember& trace_;
};

class StepTimesOfTrace final : public RowsOfTrace {
 public:
  /// Steps that span work of no step are remarked.
  StepTimesOfTrace(const TraceMember& trace, const RowInput& input);
  StepTimeRow* next() override;
  [[nodiscard]] Status status() const override { return status_; }

 private:
  void find_outside_work(std::vector<std::string>& remarks);

  std::vector<StepTimeRow> rows_;
  std::optional<TimelineSteps> chosen_;
  std::size_t at_ = 0;
  Status status_;
};

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

// clang-format off
constexpr auto kStepTimesFields = with_trace({
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](StepTimeRow& r) { return number(r.part.device); }, Role::kKey},
    {Column::integer("step", "Step", "", "number of the step"), [](StepTimeRow& r) { return signed_number(r.extent.step); }, Role::kKey},
    {Column::integer("start_ns", "Start", "ns", "its first work on the GPU, since the start of the trace").grouped(), [](StepTimeRow& r) { return r.start_ns(); }},
    {Column::integer("period_ns", "Period", "ns", "from its first work to the first work of the next step; of the last one to its last end").grouped(), [](StepTimeRow& r) { return signed_number(r.period_ns()); }},
    {Column::integer("computing_ns", "Computing", "ns", "part of the period in which a kernel ran that is no collective").grouped(), [](StepTimeRow& r) { return signed_number(r.in(DeviceState::kComputing)); }},
    {Column::integer("collective_ns", "Collective", "ns", "part in which a collective ran, and nothing computed: exposed").grouped(), [](StepTimeRow& r) { return signed_number(r.in(DeviceState::kCollective)); }},
    {Column::integer("copying_ns", "Copying", "ns", "part in which only copies and sets ran: exposed").grouped(), [](StepTimeRow& r) { return signed_number(r.in(DeviceState::kCopying)); }},
    {Column::integer("idle_ns", "Idle", "ns", "part in which nothing ran").grouped(), [](StepTimeRow& r) { return signed_number(r.in(DeviceState::kIdle)); }},
    {Column::integer("gpu_ns", "GPU span", "ns", "from its first work to its last end").grouped(), [](StepTimeRow& r) { return signed_number(difference_of_times(r.extent.end_ns, r.extent.begin_ns)); }},
    {Column::integer("host_ns", "Host span", "ns", "from its first launch to the end of its last").grouped(), [](StepTimeRow& r) { return r.host_ns(); }},
    {Column::integer("overlap_ns", "Overlap", "ns", "how long work of it ran after the next step had begun").grouped(), [](StepTimeRow& r) { return signed_number(r.overlap_ns); }},
    {Column::integer("kernels", "Kernels", "", "GPU kernels").grouped(), [](StepTimeRow& r) { return number(r.work.kernels); }},
    {Column::integer("copies", "Copies+Sets", "", "memory copies and sets").grouped(), [](StepTimeRow& r) { return number(r.work.copies); }},
    {Column::integer("launches", "Launches", "", "CUDA calls that launched its work").grouped(), [](StepTimeRow& r) { return number(r.work.launches); }},
    {Column::integer("repeats", "Repeats", "", "kernels known by those of a marked step, as this one is not marked; 0: it is").grouped(), [](StepTimeRow& r) { return number(r.work.repeats); }},
    {Column::real("mfu_pct", "MFU", "%", "model FLOPs utilization: HFU without what the backward pass computes again", 1), [](StepTimeRow& r) { return real(r.work.model_products.pct_of(r.period_ns())); }},
    {Column::real("hfu_pct", "HFU", "%", "hardware FLOPs utilization: time of its products, convolutions and attention at the peaks of their dtypes, over the period; absent: it has none with known FLOPs", 1), [](StepTimeRow& r) { return real(r.work.products.pct_of(r.period_ns())); }},
    {Column::integer("flops_unknown", "FLOPs?", "", "products, convolutions and attention without known FLOPs or peak: MFU and HFU are lower bounds").grouped(), [](StepTimeRow& r) { return number(r.work.products.unknown); }},
    {Column::integer("is_last", "Last", "", "1: the last step of its part, whose period ends with its work"), [](StepTimeRow& r) { return signed_number(r.is_last ? 1 : 0); }},
    {Column::integer("outside_ns", "Outside", "ns", "part of the period, behind its work, in which GPU work runs that is in no step").grouped(), [](StepTimeRow& r) { return signed_number(r.outside_ns); }},
    {Column::integer("spans_outside", "Spans", "", "1: that is more than behind other steps, such as evaluation between steps, and the period is not the step's own"), [](StepTimeRow& r) { return signed_number(r.spans_outside ? 1 : 0); }},
});
// clang-format on

}  // namespace

constinit const RowKind kStepTimes = {
    .names = {"step", "steps", "step_times"},
    .fields = kStepTimesFields,
    .steps = Steps::kOwn,
    .open = [](const RowInput& input) { return trace_wise<StepTimesOfTrace>(kStepTimes, input); },
};

}  // namespace prof::reports
