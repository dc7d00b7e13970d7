// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/typical_step.hpp"

#include <algorithm>
#include <cmath>

#include "libprof/model/times.hpp"
#include "tools/report/choose/capture_choice.hpp"
#include "tools/report/rows/device_times.hpp"
#include "tools/report/statistics.hpp"

namespace prof::reports {
namespace {

constexpr double kSteady = 0.25;  // of the median

/// Times of a damaged trace may be as large as numbers get.
struct OneStep {
  std::array<std::int64_t, kDeviceStates> state_ns{};
  std::map<IdleCause, std::int64_t> idle_ns;
  std::map<IdleCause, std::uint64_t> idle_stretches;
  std::int64_t outside_ns = 0;
  bool is_last = false;

  [[nodiscard]] std::int64_t period_ns() const {
    std::int64_t sum = 0;
    for (const std::int64_t part : state_ns) add_time(sum, part);
    return sum;
  }
  void add(const TimelineSlice& slice) {
    const std::int64_t time = difference_of_times(slice.time.end_ns, slice.time.begin_ns);
    add_time(state_ns[static_cast<std::size_t>(slice.time.state)], time);
    add_time(outside_ns, slice.outside_ns);
    if (slice.time.state != DeviceState::kIdle) return;
    add_time(idle_ns[slice.cause], time);
    ++idle_stretches[slice.cause];
  }
};

using StepKey = std::pair<std::optional<std::uint32_t>, std::int64_t>;

struct OfDevice {
  std::map<StepKey, OneStep> steps;
  OneStep outside;
};

void add(TypicalStep& to, const OneStep& step) {
  add_time(to.period_ns, step.period_ns());
  for (std::size_t i = 0; i < kDeviceStates; ++i) add_time(to.state_ns[i], step.state_ns[i]);
  for (const auto& [cause, time] : step.idle_ns) add_time(to.idle_ns[cause], time);
  for (const auto& [cause, count] : step.idle_stretches) {
    to.idle_stretches[cause] += count;
    ++to.idle_steps[cause];
  }
}

void add(StepWork& to, const StepWork& step) {
  to.kernels += step.kernels;
  to.copies += step.copies;
  to.launches += step.launches;
  to.repeats += step.repeats;
  to.products.add(step.products);
  to.model_products.add(step.model_products);
}

/// Steps that marks made slower do not count where others ran without.
std::map<StepKey, OneStep> at_full_speed(const OfDevice& device, const WorkTimeline& timeline,
                                         std::uint32_t number) {
  std::map<StepKey, OneStep> unmarked;
  for (const auto& [key, step] : device.steps) {
    const auto& works = timeline.parts().at({number, key.first}).steps;
    if (works.at(key.second).repeats > 0) unmarked.emplace(key, step);
  }
  return unmarked;
}

/// Marks the last step of each part. What has no kernel is none: a loop's last copy may come after
/// the step has ended.
void find_last(OfDevice& device, const WorkTimeline& timeline, std::uint32_t number) {
  std::erase_if(device.steps, [&](const auto& one) {
    const auto& [capture, step] = one.first;
    return timeline.parts().at({number, capture}).steps.at(step).kernels == 0;
  });
  for (const auto& [part, of] : timeline.parts()) {
    if (part.device != number) continue;
    const std::vector<StepExtent> extents = of.periods.steps();
    const auto has_kernels = [&works = of.steps](const StepExtent& step) {
      return works.at(step.step).kernels > 0;
    };
    const auto last = std::ranges::find_if(extents.rbegin(), extents.rend(), has_kernels);
    if (last == extents.rend()) continue;
    const auto found = device.steps.find({part.capture, last->step});
    if (found != device.steps.end()) found->second.is_last = true;
  }
}

OutsideWork outside_of(const std::map<StepKey, OneStep>& steps) {
  OutsideWork outside;
  for (const auto& [key, step] : steps) {
    if (!step.is_last) outside.add(step.period_ns(), step.outside_ns);
  }
  outside.finish();
  return outside;
}

/// A period that a step has, so that one is steady; of two the shorter one, as the first warms up.
double lower_median(std::vector<std::int64_t> periods) {
  const auto middle = periods.begin() + static_cast<std::ptrdiff_t>((periods.size() - 1) / 2);
  std::ranges::nth_element(periods, middle);
  return static_cast<double>(*middle);
}

/// The last step of a part ends with its work. It counts where there is no other.
std::vector<std::int64_t> periods_of(const std::map<StepKey, OneStep>& steps,
                                     const OutsideWork& outside) {
  std::vector<std::int64_t> whole, all;
  for (const auto& [key, step] : steps) {
    all.push_back(step.period_ns());
    if (!step.is_last && !outside.is_much(step.outside_ns)) whole.push_back(step.period_ns());
  }
  return whole.empty() ? all : whole;
}

TypicalStep typical_of(const OfDevice& device, const WorkTimeline& timeline, std::uint32_t number) {
  TypicalStep typical;
  typical.has_steps = !device.steps.empty();
  if (!typical.has_steps) {
    add(typical, device.outside);
    typical.median_ns = typical.shortest_ns = typical.longest_ns = typical.period_ns;
    for (const auto& [part, of] : timeline.parts()) {
      if (part.device == number) add(typical.work, of.outside);
    }
    return typical;
  }
  const std::map<StepKey, OneStep> unmarked = at_full_speed(device, timeline, number);
  typical.is_marked = unmarked.empty();
  const std::map<StepKey, OneStep>& steps = typical.is_marked ? device.steps : unmarked;
  const OutsideWork outside = outside_of(steps);
  const std::vector<std::int64_t> periods = periods_of(steps, outside);
  const bool with_last = periods.size() == steps.size();
  const double median = lower_median(periods);
  std::vector<std::int64_t> steady;
  typical.all_steps = device.steps.size();
  for (const auto& [key, step] : steps) {
    const bool spans_outside = !step.is_last && outside.is_much(step.outside_ns);
    if (spans_outside) typical.outside.add(step.outside_ns);
    const auto period = static_cast<double>(step.period_ns());
    const bool is_far = std::abs(period - median) > kSteady * median;
    if ((step.is_last && !with_last) || spans_outside || is_far) continue;
    steady.push_back(step.period_ns());
    typical.steps.insert(key);
    add(typical, step);
    add(typical.work, timeline.parts().at({number, key.first}).steps.at(key.second));
  }
  if (steady.empty()) return typical;
  typical.shortest_ns = *std::ranges::min_element(steady);
  typical.longest_ns = *std::ranges::max_element(steady);
  typical.median_ns = static_cast<std::int64_t>(std::llround(quantile(steady, 0.5)));
  return typical;
}

}  // namespace

Result<std::map<std::uint32_t, TypicalStep>> typical_steps(const TraceMember& trace,
                                                           const RowInput& input) {
  WorkTimeline timeline(trace, input, WorkTimeline::Detail::kCauses);
  return typical_steps(trace, input, timeline);
}

Result<std::map<std::uint32_t, TypicalStep>> typical_steps(const TraceMember& trace,
                                                           const RowInput& input,
                                                           WorkTimeline& timeline) {
  const TimelineSteps chosen(input, timeline);
  std::map<std::uint32_t, OfDevice> devices;
  while (const TimelineSlice* const slice = timeline.next()) {
    if (input.choice.captures &&
        !takes_capture(input.choice, trace.reader.captures(), slice->part.capture)) {
      continue;
    }
    OfDevice& device = devices[slice->part.device];
    if (!slice->time.step) {
      device.outside.add(*slice);
    } else if (chosen.take(slice->time.step)) {
      device.steps[{slice->part.capture, *slice->time.step}].add(*slice);
    }
  }
  PROF_TRY(timeline.status());
  for (auto& [number, device] : devices) find_last(device, timeline, number);
  std::map<std::uint32_t, TypicalStep> typical;
  for (const auto& [number, device] : devices) {
    // None of those that were asked for.
    if (device.steps.empty() && input.choice.step) continue;
    typical.emplace(number, typical_of(device, timeline, number));
  }
  return typical;
}

}  // namespace prof::reports
