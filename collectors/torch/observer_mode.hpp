// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What libprof_torch.so does with each op. prof_torch passes these numbers to prof_torch_switch()
// (tools/python/prof_torch/observer.py: Mode).
#pragma once

#include <cstdint>

namespace prof::collectors {

enum class ObserverMode : std::uint8_t {
  kOff = 0,
  kOn = 1,       ///< Ops are reported with their arguments.
  kNames = 2,    ///< Without: torch need not box them.
  kEmpty = 3,    ///< To measure: callbacks that do nothing.
  kReading = 4,  ///< To measure: ops are read as with kOn and reported to nobody.
};
inline constexpr auto kLastObserverMode = ObserverMode::kReading;

}  // namespace prof::collectors
