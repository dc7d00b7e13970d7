// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PlacedWork: what a timeline keeps of a piece of work while it sorts it by its begin, as few
// bytes: ten, and fifteen more with its launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzers/timeline/device_timeline.hpp"
#include "analyzers/timeline/idle_causes.hpp"

namespace prof {

struct PlacedWork {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::optional<std::uint32_t> capture;
  DeviceState state = DeviceState::kComputing;

  // Where causes of idle time are wanted.
  NextWork launch;
  std::uint32_t stream = 0;
  std::uint32_t op = 0, layer = 0;  ///< Indices into the timeline's texts.

  /// Appends all but its begin.
  void append(bool with_launch, std::string& to) const;
  /// Reads the bytes that append() has written for work that begins at that time.
  static PlacedWork of(std::int64_t begin_ns, std::string_view bytes, bool with_launch);
};

}  // namespace prof
