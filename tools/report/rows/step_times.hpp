// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps as a row kind: one row for each step, GPU and captured part of the run, in order of time.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/report/rows/device_times.hpp"

namespace prof::reports {

/// One step on one GPU and the source of its cells.
class StepTimeRow {
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

  [[nodiscard]] const TraceIdentity& trace() const { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const { return part.capture; }
  [[nodiscard]] std::int64_t period_ns() const;
  [[nodiscard]] std::int64_t in(DeviceState state) const {
    return state_ns[static_cast<std::size_t>(state)];
  }
  [[nodiscard]] Cell start_ns() const { return signed_number(on_axis(trace_, extent.begin_ns)); }
  [[nodiscard]] Cell host_ns() const;

 private:
  const TraceMember& trace_;
};

class StepTimesOfTrace {
 public:
  /// Steps that span work of no step are remarked.
  StepTimesOfTrace(const TraceMember& trace, const RowInput& input);
  StepTimeRow* next();
  [[nodiscard]] Status status() const { return status_; }

 private:
  void find_outside_work(std::vector<std::string>& remarks);

  std::vector<StepTimeRow> rows_;
  std::optional<TimelineSteps> chosen_;
  std::size_t at_ = 0;
  Status status_;
};

// clang-format off
inline constexpr auto kStepTimesFields = with_trace<StepTimeRow>({
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

/// The steps of a program.
struct StepTimes {
  using Row = StepTimeRow;
  static constexpr RowNames kNames = {"step", "steps", "step_times"};
  static constexpr bool kHasSteps = true;
  static constexpr std::span<const Field<Row>> kFields = kStepTimesFields;
  using Cursor = TraceWiseCursor<StepTimesOfTrace, kStepTimesFields>;
};

}  // namespace prof::reports
