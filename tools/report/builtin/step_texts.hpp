// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Words about a typical step that several outputs share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzers/timeline/typical_step.hpp"

namespace prof::reports {

/// By DeviceState.
inline constexpr std::string_view kStateTexts[kDeviceStates] = {"computing", "exposed collectives",
                                                                "exposed copies", "idle"};

/// Not what a program does not do.
bool is_worth_showing(DeviceState state, double share_pct);

/// "steps 2-3 of 4, 37.7 to 40.5 ms; 0-1 warm up": which steps count, their shortest and longest,
/// and why others do not count.
std::string span_text(const TypicalStep& step);

}  // namespace prof::reports
