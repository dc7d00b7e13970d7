// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps as a row kind: one row for each step, GPU and captured part of the run, in order of time.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"

namespace prof::reports {
namespace {

/// One step on one GPU and the source of its cells.
class StepTimeRow final : public Row {
 public:
  StepTimeRow(const TraceMember& trace, const ChosenStep& step) : trace_(trace), step_(step) {}

  std::array<std::int64_t, kDeviceStates> state_ns{};  ///< By DeviceState; the sum is the period.
  /// Waits of the collectives; absent: other ranks are unknown.
  std::optional<std::int64_t> waits_ns;

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override { return step_.part.capture; }
  [[nodiscard]] std::uint32_t device() const { return step_.part.device; }
  [[nodiscard]] const StepExtent& extent() const { return step_.extent; }
  [[nodiscard]] const StepWork& work() const { return *step_.work; }
  [[nodiscard]] const JudgedStep& judged() const { return step_.judged; }
  [[nodiscard]] std::int64_t period_ns() const { return step_.period_ns(); }
  [[nodiscard]] std::int64_t in(DeviceState state) const {
    return state_ns[static_cast<std::size_t>(state)];
  }
  [[nodiscard]] bool is(StepStanding standing) const { return judged().standing == standing; }
  /// It may go on when the next step has begun.
  [[nodiscard]] std::int64_t overlap_ns() const {
    return std::max<std::int64_t>(0, difference_of_times(extent().end_ns, extent().period_end_ns));
  }
  [[nodiscard]] Cell start_ns() const { return signed_number(on_axis(trace_, extent().begin_ns)); }
  [[nodiscard]] Cell host_ns() const;

 private:
  const TraceMember& trace_;
  const ChosenStep& step_;
};

class StepTimesOfTrace final : public RowsOfTrace {
 public:
  /// Steps that span work of no step are remarked.
  StepTimesOfTrace(const TraceMember& trace, const RowInput& input);
  StepTimeRow* next() override { return at_ < rows_.size() ? &rows_[at_++] : nullptr; }
  [[nodiscard]] Status status() const override { return status_ ? chosen_.status() : status_; }

 private:
  void add_waits(const TraceMember& trace, const RowInput& input);

  ChosenTimeline chosen_;
  std::vector<StepTimeRow> rows_;
  std::size_t at_ = 0;
  Status status_;
};

Cell StepTimeRow::host_ns() const {
  if (!extent().host_begin_ns || !extent().host_end_ns) return absent();
  return signed_number(difference_of_times(*extent().host_end_ns, *extent().host_begin_ns));
}

StepTimesOfTrace::StepTimesOfTrace(const TraceMember& trace, const RowInput& input)
    : chosen_(trace, input, ChosenTimeline::Detail::kStates) {
  chosen_.read();
  const JudgedSteps& steps = chosen_.steps();
  std::map<const ChosenStep*, std::size_t> places;
  for (const auto& [device, of] : steps.devices()) {
    for (const ChosenStep& step : of.steps) {
      places.emplace(&step, rows_.size());
      rows_.emplace_back(trace, step);
    }
    add_remark(of.judged.outside, device, steps.devices().size() > 1, input.tally.remarks);
  }
  while (const TimelineSlice* const slice = chosen_.timeline().next()) {
    const ChosenStep* const step = steps.find(slice->part, slice->time.step);
    if (step == nullptr) continue;
    add_time(rows_[places.at(step)].state_ns[static_cast<std::size_t>(slice->time.state)],
             difference_of_times(slice->time.end_ns, slice->time.begin_ns));
  }
  const bool has_collectives = std::ranges::any_of(
      rows_, [](const StepTimeRow& row) { return row.in(DeviceState::kCollective) > 0; });
  if (has_collectives) add_waits(trace, input);
}

void StepTimesOfTrace::add_waits(const TraceMember& trace, const RowInput& input) {
  const Result<const RankWaits*> waits = rank_waits(input);
  if (!waits) status_ = waits.error();
  if (!waits || *waits == nullptr) return;
  for (StepTimeRow& row : rows_) {
    const RankWaits::OfDevice* const of = (*waits)->find({&trace.identity, row.device()});
    if (of == nullptr) continue;
    const auto found = of->by_step.find(row.extent().step);
    row.waits_ns = found != of->by_step.end() ? found->second : 0;
  }
}

// clang-format off
constexpr auto kStepTimesFields = with_trace({
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](StepTimeRow& r) { return number(r.device()); }, Role::kKey},
    {Column::integer("step", "Step", "", "number of the step"), [](StepTimeRow& r) { return signed_number(r.extent().step); }, Role::kKey},
    {Column::instant("start_ns", "Start", "its first work on the GPU, since the start of the trace"), [](StepTimeRow& r) { return r.start_ns(); }},
    {Column::time("period_ns", "Period", "from its first work to the first work of the next step; of the last one to the end of its work and of its range"), [](StepTimeRow& r) { return signed_number(r.period_ns()); }},
    {Column::time("computing_ns", "Computing", "part of the period in which a kernel ran that is not a collective"), [](StepTimeRow& r) { return signed_number(r.in(DeviceState::kComputing)); }},
    {Column::time("collective_ns", "Collective", "part in which a collective ran, and nothing computed: exposed"), [](StepTimeRow& r) { return signed_number(r.in(DeviceState::kCollective)); }},
    {Column::time("waits_ns", "Waits", "part of that in which it waits for other ranks; absent: their traces are not given"), [](StepTimeRow& r) { return r.waits_ns ? signed_number(*r.waits_ns) : absent(); }},
    {Column::time("copying_ns", "Copying", "part in which only copies and sets ran: exposed"), [](StepTimeRow& r) { return signed_number(r.in(DeviceState::kCopying)); }},
    {Column::time("idle_ns", "Idle", "part in which nothing ran"), [](StepTimeRow& r) { return signed_number(r.in(DeviceState::kIdle)); }},
    {Column::time("gpu_ns", "GPU span", "from its first work to its last end"), [](StepTimeRow& r) { return signed_number(difference_of_times(r.extent().end_ns, r.extent().begin_ns)); }},
    {Column::time("host_ns", "Host span", "from its first launch to the end of its last"), [](StepTimeRow& r) { return r.host_ns(); }},
    {Column::time("overlap_ns", "Overlap", "how long work of it ran after the next step had begun"), [](StepTimeRow& r) { return signed_number(r.overlap_ns()); }},
    {Column::integer("kernels", "Kernels", "", "GPU kernels").grouped(), [](StepTimeRow& r) { return number(r.work().kernels); }},
    {Column::integer("copies", "Copies+Sets", "", "memory copies and sets").grouped(), [](StepTimeRow& r) { return number(r.work().copies); }},
    {Column::integer("launches", "Launches", "", "CUDA calls that launched its work").grouped(), [](StepTimeRow& r) { return number(r.work().launches); }},
    {Column::integer("repeats", "Repeats", "", "kernels known by those of a marked step, as this one is not marked; 0: it is").grouped(), [](StepTimeRow& r) { return number(r.work().repeats); }},
    {Column::real("mfu_pct", "MFU", "%", "model FLOPs utilization: HFU without what the backward pass computes again", 1), [](StepTimeRow& r) { return real(r.work().model_products.pct_of(r.period_ns())); }},
    {Column::real("hfu_pct", "HFU", "%", "hardware FLOPs utilization: time of its products, convolutions and attention at the peaks of their dtypes, over the period; absent: it has none with known FLOPs", 1), [](StepTimeRow& r) { return real(r.work().products.pct_of(r.period_ns())); }},
    {Column::integer("flops_unknown", "FLOPs?", "", "products, convolutions and attention without known FLOPs or peak: MFU and HFU are lower bounds").grouped(), [](StepTimeRow& r) { return number(r.work().products.unknown); }},
    {Column::integer("is_last", "Last", "", "1: the last step of its part that launched kernels"), [](StepTimeRow& r) { return signed_number(r.extent().is_last ? 1 : 0); }},
    {Column::integer("is_whole", "Whole", "", "0: the last step, whose period has no known end"), [](StepTimeRow& r) { return signed_number(r.extent().is_whole ? 1 : 0); }},
    {Column::time("outside_ns", "Outside", "part of the period, behind its work, in which GPU work runs that is in no step"), [](StepTimeRow& r) { return signed_number(r.work().outside_ns); }},
    {Column::integer("spans_outside", "Spans", "", "1: that is more than behind other steps, such as evaluation between steps, and the period is not the step's own"), [](StepTimeRow& r) { return signed_number(r.is(StepStanding::kOutside) ? 1 : 0); }},
    {Column::integer("is_steady", "Steady", "", "1: one of the steps that count in summary, gaps, headroom, advice and diff"), [](StepTimeRow& r) { return signed_number(r.judged().is_steady() ? 1 : 0); }},
    {Column::integer("warms_up", "Warms up", "", "1: before the steady steps, and far from them"), [](StepTimeRow& r) { return signed_number(r.is(StepStanding::kWarmsUp) ? 1 : 0); }},
    {Column::time("median_ns", "Median", "median period of the settled steps of equal work; absent: there are none, or its own period is not known", Column::Type::kReal), [](StepTimeRow& r) { return real(r.judged().median_ns); }},
    {Column::text("unusual", "Unusual", "what is unusual about it, as in report steps"), [](StepTimeRow& r) { return text(unusual_word(r.judged(), r.period_ns())); }},
});
// clang-format on

}  // namespace

constinit const RowKind kStepTimes = {
    .names = {"step", "steps", "step_times", "every step on each GPU and in each captured part"},
    .fields = kStepTimesFields,
    .steps = Steps::kOwn,
    .ranges = Ranges::kOwn,
    .open =
        [](const RowInput& input) { return rows_by_trace<StepTimesOfTrace>(kStepTimes, input); },
    .reads_work = 1,
    .reads_timeline = true,
};

}  // namespace prof::reports
