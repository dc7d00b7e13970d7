// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The timelines of GPUs summed up, as a row kind: one row for all stretches of a GPU that have the
// same state, in steady steps or not, and, if idle, the same cause and the same op that the GPU
// waits for. SQL would sort the stretches, of which there are two for each kernel. Memory for each
// sum.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "tools/report/rows/device_times.hpp"
#include "tools/report/rows/rank_waits.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

struct DeviceTimeSum final : public Row {
  const TraceIdentity* of = nullptr;
  std::uint32_t device = 0;
  bool in_step = false, is_steady = false;
  DeviceState state = DeviceState::kIdle;
  std::optional<IdleCause> cause;  ///< The cause of idle time.
  std::string op;  ///< Set for idle time, where the next work was not queued already.

  std::uint64_t stretches = 0;
  std::int64_t time_ns = 0, max_ns = 0;
  std::optional<std::int64_t> max_step;
  const std::uint64_t* all_steps = nullptr;

  [[nodiscard]] const TraceIdentity& trace() const override { return *of; }
};

class DeviceTimeSums final : public RowCursor<Row> {
 public:
  explicit DeviceTimeSums(const RowInput& input)
      : input_(input), times_(kDeviceTimes, input), remarks_(input.tally.remarks) {}

  /// The first call reads all stretches.
  DeviceTimeSum* next() override {
    if (!is_read_) read();
    return at_ == sums_.end() ? nullptr : &(at_++)->second;
  }
  [[nodiscard]] Status status() const override { return status_ ? times_.status() : status_; }

 private:
  using Key = std::tuple<const TraceIdentity*, std::uint32_t, bool, bool, DeviceState,
                         std::optional<IdleCause>, std::string>;

  void read() {
    is_read_ = true;
    while (DeviceTimeRow* const row = times_.next()) add(*row);
    at_ = sums_.begin();
    add_waits();
    if (waits_much()) {
      remarks_.emplace_back(
          "the profiler's own time is in launch, python and host; -r summary estimates it");
    }
  }
  /// A GPU that waits for another rank is in a collective, and not idle.
  void add_waits() {
    const bool has_collectives = std::ranges::any_of(
        sums_, [](const auto& sum) { return sum.second.state == DeviceState::kCollective; });
    if (!has_collectives) return;
    const Result<const RankWaits*> waits = rank_waits(input_);
    if (!waits) status_ = waits.error();
    if (!waits || *waits == nullptr) return;
    const RankStanding* longest = nullptr;
    std::size_t others = 0;
    for (const auto& [device, of] : (*waits)->devices()) {
      if (of.standing.waits_ns < kLeastWaitNs) continue;
      if (longest != nullptr) ++others;
      if (longest == nullptr || of.standing.waits_ns > longest->waits_ns) longest = &of.standing;
    }
    add_cost(**waits);
    if (longest == nullptr) return;
    remarks_.push_back(fmt::format(
        "not idle, but in collectives, {} waits {:.2f} ms of a step for {}{}; -r stragglers",
        longest->label, longest->waits_ns / 1e6, longest->waits_for,
        others > 0 ? fmt::format(", and {} wait less", count_text(others, "other", "others"))
                   : ""));
  }
  void add_cost(const RankWaits& waits) {
    const RankStanding* most = nullptr;
    for (const auto& [device, of] : waits.devices()) {
      if (of.standing.cost_ns <= 0) continue;
      if (most == nullptr || of.standing.cost_ns > most->cost_ns) most = &of.standing;
    }
    if (most == nullptr) return;
    remarks_.push_back(fmt::format(
        "a step takes ~{:.2f} ms longer than if {} were as the other ranks; -r stragglers",
        most->cost_ns / 1e6, most->label));
  }
  /// The GPUs wait for launches and the host for much of the time of steady steps, or of all time
  /// where there are none.
  [[nodiscard]] bool waits_much() const {
    double waits[2] = {}, all[2] = {};
    for (const auto& [key, sum] : sums_) {
      const auto time = static_cast<double>(sum.time_ns);
      all[sum.is_steady] += time;
      if (sum.cause == IdleCause::kLaunch || sum.cause == IdleCause::kPython ||
          sum.cause == IdleCause::kHost) {
        waits[sum.is_steady] += time;
      }
    }
    const bool has_steps = all[1] > 0;
    return waits[has_steps] > kMuch * all[has_steps];
  }
  void add(const DeviceTimeRow& row) {
    const TimelineSlice& slice = row.slice();
    DeviceTimeSum& sum = sum_of(row);
    count_step(row);
    ++sum.stretches;
    sum.time_ns = sum_of_times(sum.time_ns, row.time_ns());
    if (sum.stretches > 1 && row.time_ns() <= sum.max_ns) return;
    sum.max_ns = row.time_ns();
    sum.max_step = slice.time.step;
  }
  DeviceTimeSum& sum_of(const DeviceTimeRow& row) {
    const TimelineSlice& slice = row.slice();
    const bool is_idle = slice.time.state == DeviceState::kIdle;
    auto& [trace, device, in_step, is_steady, state, cause, op] = key_;
    trace = &row.trace();
    device = slice.part.device;
    in_step = slice.time.step.has_value();
    is_steady = row.is_steady();
    state = slice.time.state;
    cause = is_idle ? std::optional(slice.cause) : std::nullopt;
    op = is_idle && !was_queued(slice.cause) ? slice.op : std::string_view();
    const auto [found, is_new] = sums_.try_emplace(key_);
    DeviceTimeSum& sum = found->second;
    if (is_new) {
      sum.of = trace;
      sum.device = device;
      sum.in_step = in_step;
      sum.is_steady = is_steady;
      sum.state = state;
      sum.cause = cause;
      sum.op = op;
      if (in_step) sum.all_steps = &steps_[{trace, device, is_steady}].count;
    }
    return sum;
  }

  /// Counts the step for the places of sum_of(row). A step's stretches follow each other.
  void count_step(const DeviceTimeRow& row) {
    const TimelineSlice& slice = row.slice();
    if (!slice.time.step) return;
    Steps& steps = steps_[{&row.trace(), slice.part.device, row.is_steady()}];
    const std::pair step(slice.part.capture, *slice.time.step);
    if (steps.last == step) return;
    steps.last = step;
    ++steps.count;
  }

  static constexpr double kMuch = 0.05;
  static constexpr double kLeastWaitNs = 50'000;  // of a step

  struct Steps {
    std::uint64_t count = 0;
    std::optional<std::pair<std::optional<std::uint32_t>, std::int64_t>> last;
  };

  RowInput input_;
  RowsOf<DeviceTimeRow> times_;
  std::vector<std::string>& remarks_;
  bool is_read_ = false;
  Status status_;
  Key key_;  // made anew for each row
  std::map<std::tuple<const TraceIdentity*, std::uint32_t, bool>, Steps> steps_;
  std::map<Key, DeviceTimeSum> sums_;
  std::map<Key, DeviceTimeSum>::iterator at_ = sums_.end();
};

// clang-format off
constexpr auto kDeviceTimeSumsFields = with_trace_alone({
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](DeviceTimeSum& s) { return number(s.device); }, Role::kKey},
    {Column::integer("in_step", "In step", "", "1: in the period of a step; 0: in none"), [](DeviceTimeSum& s) { return number(std::uint64_t{s.in_step}); }, Role::kKey},
    {Column::integer("is_steady", "Steady", "", "1: in the period of a steady step; 0: in none"), [](DeviceTimeSum& s) { return number(std::uint64_t{s.is_steady}); }, Role::kKey},
    {Column::text("state", "State", "computing, or else collective, or else copying, or else idle"), [](DeviceTimeSum& s) { return text(name(s.state)); }, Role::kKey},
    {Column::text("cause", "Cause", "why it is idle, as in device_times"), [](DeviceTimeSum& s) { return s.cause ? text(name(*s.cause)) : absent(); }, Role::kKey},
    {Column::text("op", "Op", "op that launched the work that ends idle time; absent: it was queued already"), [](DeviceTimeSum& s) { return text(s.op); }, Role::kKey},
    {Column::integer("stretches", "Stretches", "", "how many there are").grouped(), [](DeviceTimeSum& s) { return number(s.stretches); }},
    {Column::time("time_ns", "Time", "their durations, added up"), [](DeviceTimeSum& s) { return signed_number(s.time_ns); }},
    {Column::time("max_ns", "Max", "duration of the longest"), [](DeviceTimeSum& s) { return signed_number(s.max_ns); }},
    {Column::integer("max_step", "At step", "", "step of the longest"), [](DeviceTimeSum& s) { return s.max_step ? signed_number(*s.max_step) : absent(); }},
    {Column::integer("all_steps", "Steps", "", "how many steps the GPU has, steady ones or not as here; absent: outside of steps").grouped(), [](DeviceTimeSum& s) { return s.all_steps != nullptr ? number(*s.all_steps) : absent(); }},
});
// clang-format on

}  // namespace

constinit const RowKind kDeviceTimeSums = {
    .names = {"sum of a GPU's time", "sums of GPUs' time", "device_time_sums",
              "device_times added up"},
    .fields = kDeviceTimeSumsFields,
    .steps = Steps::kOwn,
    .ranges = Ranges::kOwn,
    .open = [](const RowInput& input) -> std::unique_ptr<RowCursor<Row>> {
      return std::make_unique<DeviceTimeSums>(input);
    },
    .summed = &kDeviceTimes,
    .reads_work = 1,
    .reads_timeline = true,
};

}  // namespace prof::reports
