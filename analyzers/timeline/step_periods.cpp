// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/step_periods.hpp"

#include <cmath>

#include "libprof/model/times.hpp"

namespace prof {
namespace {

/// The time after the last step's work may differ by that part of its period from the time after
/// the work of the step before.
constexpr double kFar = 0.25;

/// On the GPU's time axis a step ends when its work has, and its range: the host of a program that
/// waits for the GPU ends it later, that of others earlier.
std::int64_t own_end(const StepExtent& step) {
  return std::max(step.settled_ns, step.range_end_ns.value_or(INT64_MIN));
}

/// Compares the times after the work of two steps, up to their ends.
bool is_alike_behind_work(const StepExtent& before, const StepExtent& last, std::int64_t end_ns) {
  const std::int64_t behind = difference_of_times(before.period_end_ns, before.settled_ns);
  const std::int64_t apart =
      difference_of_times(difference_of_times(end_ns, last.settled_ns), behind);
  const std::int64_t period = difference_of_times(end_ns, last.begin_ns);
  return std::abs(static_cast<double>(apart)) <= kFar * static_cast<double>(period);
}

}  // namespace

void StepPeriods::add_work(std::int64_t step, std::int64_t begin_ns, std::int64_t end_ns,
                           bool is_kernel) {
  StepExtent& extent = steps_[step];
  extent.step = step;
  extent.begin_ns = std::min(extent.begin_ns, begin_ns);
  extent.end_ns = std::max(extent.end_ns, end_ns);
  extent.has_kernels |= is_kernel;
  end_ns_ = std::max(end_ns_, end_ns);
  if (outside_ns_ && *outside_ns_ < end_ns_) outside_ns_.reset();
}

void StepPeriods::add_launch(std::int64_t step, std::int64_t begin_ns, std::int64_t end_ns) {
  StepExtent& extent = steps_[step];
  extent.host_begin_ns = std::min(extent.host_begin_ns.value_or(begin_ns), begin_ns);
  extent.host_end_ns = std::max(extent.host_end_ns.value_or(end_ns), end_ns);
}

void StepPeriods::add_range_end(std::int64_t step, std::int64_t end_ns) {
  StepExtent& extent = steps_[step];
  extent.range_end_ns = std::max(extent.range_end_ns.value_or(end_ns), end_ns);
}

void StepPeriods::add_outside(std::int64_t begin_ns) {
  if (begin_ns < end_ns_) return;
  outside_ns_ = std::min(outside_ns_.value_or(begin_ns), begin_ns);
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
  find_ends(found);
  return found;
}

void StepPeriods::find_ends(std::vector<StepExtent>& steps) const {
  if (steps.empty()) return;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) steps[i].period_end_ns = steps[i + 1].begin_ns;
  steps.back().period_end_ns = steps.back().settled_ns;
  auto last = std::ranges::find_if(steps.rbegin(), steps.rend(), &StepExtent::has_kernels);
  if (last == steps.rend()) last = steps.rbegin();
  last->is_last = true;
  if (ends_with_work_) {
    for (StepExtent& step : steps) {
      step.period_end_ns = std::min(step.period_end_ns, step.settled_ns);
    }
    return;
  }
  const bool is_followed = last != steps.rbegin();
  const auto end_ns = is_followed ? std::optional(last->period_end_ns) : known_end_of_last(*last);
  const auto before = last + 1;
  last->is_whole =
      end_ns && (before == steps.rend() || is_alike_behind_work(*before, *last, *end_ns));
  if (last->is_whole) last->period_end_ns = *end_ns;
}

/// Where its range ends, but not beyond the first work of no step.
std::optional<std::int64_t> StepPeriods::known_end_of_last(const StepExtent& last) const {
  if (!last.range_end_ns) return outside_ns_;
  return std::min(own_end(last), outside_ns_.value_or(INT64_MAX));
}

std::vector<StepBoundary> StepPeriods::boundaries() const {
  std::vector<StepBoundary> found;
  const std::vector<StepExtent> in_order = steps();
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const StepExtent& step = in_order[i];
    found.push_back({step.begin_ns, step.step});
    const bool is_last = i + 1 == in_order.size();
    if (!is_last && step.period_end_ns >= in_order[i + 1].begin_ns) continue;
    found.push_back({std::max(step.period_end_ns, step.begin_ns), std::nullopt});
  }
  return found;
}

}  // namespace prof
