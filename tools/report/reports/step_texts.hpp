// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Words about a typical step that several outputs share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tools/report/rows/typical_step.hpp"

namespace prof::reports {

/// By DeviceState.
inline constexpr std::string_view kStateTexts[kDeviceStates] = {"computing", "exposed collectives",
                                                                "exposed copies", "idle"};

/// "19 of 20 steps, 11,938.1 to 12,104.9": which steps count, and their shortest and longest.
inline std::string span_text(const TypicalStep& step) {
  if (!step.has_steps) return "no steps: all captured time";
  if (step.all_steps == 1) return "one step";
  if (step.steps.size() == 1) return fmt::format("1 of {} steps", step.all_steps);
  return fmt::format("{} of {} steps, {:.1f} to {:.1f}", step.steps.size(), step.all_steps,
                     static_cast<double>(step.shortest_ns) / 1e3,
                     static_cast<double>(step.longest_ns) / 1e3);
}

}  // namespace prof::reports
