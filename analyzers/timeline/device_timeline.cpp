// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/device_timeline.hpp"

namespace prof {

std::string_view name(DeviceState state) {
  static constexpr std::string_view kNames[] = {"computing", "collective", "copying", "idle"};
  return kNames[static_cast<std::size_t>(state)];
}

TimeSlice DeviceTimeline::next_slice(std::int64_t until_ns) {
  const std::int64_t now = *now_ns_;
  TimeSlice slice{.begin_ns = now, .end_ns = until_ns, .state = DeviceState::kIdle, .step = {}};
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i] <= now) continue;
    slice.state = static_cast<DeviceState>(i);
    slice.end_ns = std::min(until_ns, ends_[i]);
    break;
  }
  while (passed_ < boundaries_.size() && boundaries_[passed_].begin_ns <= now) ++passed_;
  if (passed_ != 0) slice.step = boundaries_[passed_ - 1].step;
  if (passed_ < boundaries_.size()) {
    slice.end_ns = std::min(slice.end_ns, boundaries_[passed_].begin_ns);
  }
  return slice;
}

}  // namespace prof
