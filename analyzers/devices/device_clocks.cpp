// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/devices/device_clocks.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "libprof/base/statistics.hpp"
#include "libprof/model/times.hpp"
#include "libprof/store/read/record_cursor.hpp"

namespace prof {
namespace {

using Sample = DeviceClocks::Sample;

constexpr std::size_t kNeighbors = 2;  // on either side
constexpr std::int64_t kFarNs = 3'000'000'000;

/// Not before b.
bool is_far(std::int64_t a_ns, std::int64_t b_ns) {
  return difference_of_times(a_ns, b_ns) > kFarNs;
}

/// A sample and its neighbors.
std::span<const Sample> around(const std::vector<Sample>& samples, std::size_t middle) {
  std::size_t first = middle - std::min(middle, kNeighbors);
  std::size_t last = std::min(middle + kNeighbors, samples.size() - 1);
  while (is_far(samples[middle].time_ns, samples[first].time_ns)) ++first;
  while (is_far(samples[last].time_ns, samples[middle].time_ns)) --last;
  return {samples.begin() + static_cast<std::ptrdiff_t>(first), last - first + 1};
}

std::optional<double> median(std::span<const Sample> samples,
                             std::optional<std::uint32_t> Sample::*clock) {
  std::vector<std::uint32_t> known;
  for (const Sample& sample : samples) {
    if ((sample.*clock).value_or(0) > 0) known.push_back(*(sample.*clock));
  }
  return known.empty() ? std::nullopt : std::optional(quantile(known, 0.5));
}

}  // namespace

DeviceClocks::DeviceClocks(TraceReader& trace) {
  const auto states = records_of<DeviceStateRecord>(trace);
  while (const DeviceStateRecord* const state = states->next()) {
    const std::uint64_t reasons = state->throttle_reasons.value_or(0);
    if ((reasons & kIdleReason) != 0) continue;
    devices_[state->device].samples.push_back(
        {.time_ns = difference_of_times(state->time_ns, trace.start_realtime_ns()),
         .sm_mhz = state->sm_clock_mhz,
         .memory_mhz = state->memory_clock_mhz,
         .power_mw = state->power_mw,
         .reasons = reasons});
  }
  status_ = states->status();
  for (auto& [device, of] : devices_) {
    std::ranges::sort(of.samples, {}, &Sample::time_ns);
    for (std::size_t i = 0; i < of.samples.size(); ++i) {
      const std::span<const Sample> near = around(of.samples, i);
      of.clocks.push_back({.sm_mhz = median(near, &Sample::sm_mhz),
                           .memory_mhz = median(near, &Sample::memory_mhz)});
    }
  }
}

const std::vector<Sample>& DeviceClocks::of(std::uint32_t device) const {
  static const std::vector<Sample> none;
  const auto found = devices_.find(device);
  return found == devices_.end() ? none : found->second.samples;
}

devices::Clocks DeviceClocks::at(std::uint32_t device, std::int64_t time_ns) const {
  const auto found = devices_.find(device);
  if (found == devices_.end()) return {};
  const std::vector<Sample>& samples = found->second.samples;
  const auto after = std::ranges::lower_bound(samples, time_ns, {}, &Sample::time_ns);
  auto nearest = after;
  std::int64_t apart_ns = INT64_MAX;
  if (after != samples.end()) apart_ns = difference_of_times(after->time_ns, time_ns);
  if (after != samples.begin()) {
    const std::int64_t before_ns = difference_of_times(time_ns, (after - 1)->time_ns);
    if (before_ns <= apart_ns) {
      nearest = after - 1;
      apart_ns = before_ns;
    }
  }
  if (apart_ns > kFarNs) return {};
  return found->second.clocks[static_cast<std::size_t>(nearest - samples.begin())];
}

}  // namespace prof
