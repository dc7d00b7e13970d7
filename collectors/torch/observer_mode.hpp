// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The ways in which libprof_torch.so treats each op. prof_torch passes these numbers to
// prof_torch_switch() (tools/python/prof_torch/observer.py: Mode).
#pragma once

#include <cstdint>

namespace prof::collectors {

enum class ObserverMode : std::uint8_t {
  kOff = 0,
  kOn = 1,       ///< Ops are reported with their arguments.
  kNames = 2,    ///< Ops are reported without arguments, which torch need not box.
  kEmpty = 3,    ///< For measurements: callbacks do nothing.
  kReading = 4,  ///< For measurements: ops are read as with kOn, but not reported.
};
inline constexpr auto kLastObserverMode = ObserverMode::kReading;

}  // namespace prof::collectors
