// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DeviceTimeline: what a GPU does at each instant. Each instant counts once: it computes, or else
// takes part in a collective, or else copies or sets memory, or else is idle. A collective or a
// copy is thus what computing does not hide of it. docs/conventions.md has the definitions. Pure:
// no trace, one device, one captured part of the run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace prof {

/// The first of those that apply.
enum class DeviceState : std::uint8_t { kComputing, kCollective, kCopying, kIdle };
inline constexpr std::size_t kDeviceStates = 4;
std::string_view name(DeviceState state);  ///< "computing", "collective", "copying", "idle".

/// From `begin_ns` on, time belongs to `step`; absent: to none.
struct StepBoundary {
  std::int64_t begin_ns = 0;
  std::optional<std::int64_t> step;
};

/// A stretch of one state in one step's period.
struct TimeSlice {
  std::int64_t begin_ns = 0, end_ns = 0;
  DeviceState state = DeviceState::kIdle;
  std::optional<std::int64_t> step;
};

class DeviceTimeline {
 public:
  /// `boundaries` in order of time.
  explicit DeviceTimeline(std::vector<StepBoundary> boundaries)
      : boundaries_(std::move(boundaries)) {}

  /// Work from `begin_ns` to `end_ns`, in order of its begin; `state` is not kIdle. Calls
  /// take(slice) for the time since the work before it; idle time is that before this work.
  template <typename Take>
  void add(DeviceState state, std::int64_t begin_ns, std::int64_t end_ns, Take take) {
    if (!now_ns_) now_ns_ = begin_ns;
    advance_to(begin_ns, take);
    std::int64_t& last = ends_[static_cast<std::size_t>(state)];
    last = std::max(last, end_ns);
  }

  /// The rest, to the end of all work and of the last period.
  template <typename Take>
  void finish(Take take) {
    if (!now_ns_) return;
    std::int64_t end_ns = *std::max_element(ends_.begin(), ends_.end());
    if (!boundaries_.empty()) end_ns = std::max(end_ns, boundaries_.back().begin_ns);
    advance_to(end_ns, take);
  }

 private:
  template <typename Take>
  void advance_to(std::int64_t until_ns, Take take) {
    while (*now_ns_ < until_ns) {
      const TimeSlice slice = next_slice(until_ns);
      now_ns_ = slice.end_ns;
      take(slice);
    }
  }
  TimeSlice next_slice(std::int64_t until_ns);

  std::vector<StepBoundary> boundaries_;
  std::size_t passed_ = 0;  // boundaries that have begun
  std::optional<std::int64_t> now_ns_;
  std::array<std::int64_t, kDeviceStates - 1> ends_{INT64_MIN, INT64_MIN, INT64_MIN};
};

}  // namespace prof
