// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline of each GPU, see device_times.hpp.
#include "tools/report/rows/device_times.hpp"

#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

class DeviceTimesOfTrace final : public RowsOfTrace {
 public:
  DeviceTimesOfTrace(const TraceMember& trace, const RowInput& input)
      : chosen_(trace, input, ChosenTimeline::Detail::kCauses), row_(trace) {
    chosen_.read();
  }
  DeviceTimeRow* next() override {
    const JudgedSteps& steps = chosen_.steps();
    while (const TimelineSlice* const slice = chosen_.timeline().next()) {
      const ChosenStep* const step = steps.find(slice->part, slice->time.step);
      if (step == nullptr && (slice->time.step || steps.choice().are_some_asked_for)) continue;
      row_.set(*slice, step != nullptr && step->judged.is_steady());
      return &row_;
    }
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return chosen_.status(); }

 private:
  ChosenTimeline chosen_;
  DeviceTimeRow row_;
};

// clang-format off
constexpr auto kDeviceTimesFields = with_trace({
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](DeviceTimeRow& r) { return number(r.slice().part.device); }, Role::kKey},
    {Column::integer("step", "Step", "", "step in whose period it lies; absent: in none"), [](DeviceTimeRow& r) { return r.slice().time.step ? signed_number(*r.slice().time.step) : absent(); }, Role::kKey},
    {Column::integer("is_steady", "Steady", "", "1: in the period of a steady step"), [](DeviceTimeRow& r) { return number(std::uint64_t{r.is_steady()}); }, Role::kKey},
    {Column::text("state", "State", "computing, or else collective, or else copying, or else idle"), [](DeviceTimeRow& r) { return text(name(r.slice().time.state)); }, Role::kKey},
    {Column::text("cause", "Cause", "why it is idle: a word of docs/conventions.md, Steps and time"), [](DeviceTimeRow& r) { return r.cause(); }, Role::kKey},
    {Column::text("layer", "Layer", "layer of the work that ends idle time").cut_front(16), [](DeviceTimeRow& r) { return text(r.slice().layer); }, Role::kKey},
    {Column::text("op", "Op", "op that launched the work that ends idle time").cut_end(12), [](DeviceTimeRow& r) { return text(r.slice().op); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "duration", 0).grouped().wide(9), [](DeviceTimeRow& r) { return microseconds(r.time_ns()); }, Role::kAlias},
    {Column::time("time_ns", "Time", "duration").wide(9), [](DeviceTimeRow& r) { return signed_number(r.time_ns()); }},
    {Column::instant("start_ns", "Start", "start, since the start of the trace"), [](DeviceTimeRow& r) { return signed_number(r.start_ns()); }},
    {Column::integer("thread", "Thread", "", "thread that launched the work that ends idle time, as numbered in the trace"), [](DeviceTimeRow& r) { return r.slice().thread ? number(r.slice().thread.value) : absent(); }, Role::kKey},
});
// clang-format on

}  // namespace

constinit const RowKind kDeviceTimes = {
    .names = {"stretch of a GPU's time", "stretches of GPUs' time", "device_times",
              "what each GPU does at each instant"},
    .fields = kDeviceTimesFields,
    .steps = Steps::kOwn,
    .ranges = Ranges::kOwn,
    .open =
        [](const RowInput& input) {
          return rows_by_trace<DeviceTimesOfTrace>(kDeviceTimes, input);
        },
    .reads_work = 1,
    .reads_timeline = true,
};

}  // namespace prof::reports
