// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/typical_step.hpp"

#include <algorithm>
#include <cmath>

#include "libprof/base/statistics.hpp"
#include "libprof/model/times.hpp"

namespace prof {
namespace {

void add(StepWork& to, const StepWork& step) {
  to.kernels += step.kernels;
  to.copies += step.copies;
  to.launches += step.launches;
  to.repeats += step.repeats;
  to.products.add(step.products);
  to.model_products.add(step.model_products);
}

std::int64_t sum_of(const std::vector<std::int64_t>& times_ns) {
  std::int64_t sum = 0;
  for (const std::int64_t time : times_ns) add_time(sum, time);
  return sum;
}

/// The steps that count, and their lengths.
TypicalStep counted_steps(const JudgedSteps::OfDevice& device) {
  TypicalStep typical;
  typical.kinds.resize(device.judged.kinds.size());
  typical.is_marked = device.judged.is_marked;
  typical.is_settled = device.judged.is_settled;
  typical.outside = device.judged.outside;
  for (const ChosenStep& step : device.steps) {
    const StepStanding standing = step.judged.standing;
    const std::int64_t number = step.extent.step;
    if (standing == StepStanding::kNoKernel) continue;
    typical.has_steps = true;
    typical.is_found |= step.work->is_found;
    ++typical.all_steps;
    typical.all_numbers.add(number);
    if (standing == StepStanding::kWarmsUp) typical.warm_up_numbers.add(number);
    if (standing == StepStanding::kOtherWork) ++typical.other_steps;
    if (standing != StepStanding::kSteady) continue;
    typical.steady_numbers.add(number);
    typical.steps.emplace(step.part.capture, number);
    typical.periods_ns.push_back(step.period_ns());
    const auto kind = std::ranges::find_if(
        device.judged.kinds, [&](const StepKind& one) { return one.has(step.period_ns()); });
    if (kind != device.judged.kinds.end()) {
      const auto index = static_cast<std::size_t>(kind - device.judged.kinds.begin());
      typical.kind_of[{step.part.capture, number}] = index;
      ++typical.kinds[index].steps;
    }
    add(typical.work, *step.work);
  }
  std::vector<std::int64_t> steady = typical.periods_ns;
  if (steady.empty()) return typical;
  typical.shortest_ns = *std::ranges::min_element(steady);
  typical.longest_ns = *std::ranges::max_element(steady);
  typical.median_ns = typical.kinds.empty()
                          ? static_cast<std::int64_t>(std::llround(median(steady)))
                          : sum_of(steady) / static_cast<std::int64_t>(steady.size());
  return typical;
}

bool is_of_startup(IdleCause cause) {
  return cause == IdleCause::kCompile || cause == IdleCause::kLoad || cause == IdleCause::kAllocate;
}

/// Adds up the slices that count, which come in order of time.
class SliceSums {
 public:
  explicit SliceSums(TypicalStep& to) : to_(to) {}

  /// Times of a damaged trace may be as large as numbers get.
  void add(const TimelineSlice& slice) {
    const std::int64_t time = difference_of_times(slice.time.end_ns, slice.time.begin_ns);
    add_time(to_.period_ns, time);
    add_time(to_.state_ns[static_cast<std::size_t>(slice.time.state)], time);
    add_to_kind(slice, time);
    if (slice.time.state != DeviceState::kIdle) return;
    add_time(to_.idle_ns[slice.cause], time);
    ++to_.idle_stretches[slice.cause];
    if (!to_.has_steps && is_of_startup(slice.cause)) to_.startup_ns = to_.period_ns;
    const auto [last, is_first] = last_steps_.try_emplace(slice.cause, slice.time.step);
    if (is_first || last->second != slice.time.step) ++to_.idle_steps[slice.cause];
    last->second = slice.time.step;
    if (!to_.steps.empty() && to_.steps.rbegin()->first == slice.part.capture &&
        to_.steps.rbegin()->second == slice.time.step) {
      to_.idle_in_last.insert(slice.cause);
    }
  }

 private:
  void add_to_kind(const TimelineSlice& slice, std::int64_t time) {
    if (to_.kinds.empty() || !slice.time.step) return;
    const auto found = to_.kind_of.find({slice.part.capture, *slice.time.step});
    if (found == to_.kind_of.end()) return;
    KindOfStep& kind = to_.kinds[found->second];
    add_time(kind.period_ns, time);
    add_time(kind.state_ns[static_cast<std::size_t>(slice.time.state)], time);
    if (slice.time.state == DeviceState::kIdle) add_time(kind.idle_ns[slice.cause], time);
  }

  TypicalStep& to_;
  std::map<IdleCause, std::optional<std::int64_t>> last_steps_;
};

/// Without steps, all captured time is one.
void take_all_time(const WorkTimeline& timeline, std::uint32_t number, TypicalStep& typical) {
  typical.median_ns = typical.shortest_ns = typical.longest_ns = typical.period_ns;
  for (const auto& [part, of] : timeline.parts()) {
    if (part.device == number) add(typical.work, of.outside);
  }
}

}  // namespace

Result<TypicalSteps> typical_steps(const JudgedSteps& steps, WorkTimeline& timeline) {
  TypicalSteps typical;
  for (const auto& [number, device] : steps.devices()) {
    typical.emplace(number, counted_steps(device));
  }
  const StepChoice& choice = steps.choice();
  if (choice.are_some_asked_for) {
    std::erase_if(typical, [](const auto& one) { return !one.second.has_steps; });
  }
  std::map<std::uint32_t, SliceSums> sums;
  while (const TimelineSlice* const slice = timeline.next()) {
    const DevicePart& part = slice->part;
    if (!choice.takes(part)) continue;
    // None of the steps that were asked for.
    if (choice.are_some_asked_for && !typical.contains(part.device)) continue;
    TypicalStep& step = typical[part.device];
    if (step.has_steps ? !step.takes(part.capture, slice->time.step) : slice->time.step.has_value())
      continue;
    sums.try_emplace(part.device, step).first->second.add(*slice);
  }
  PROF_TRY(timeline.status());
  for (auto& [number, step] : typical) {
    if (!step.has_steps) take_all_time(timeline, number, step);
  }
  return typical;
}

}  // namespace prof
