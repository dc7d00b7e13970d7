// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The clock that timestamps all host events: CLOCK_REALTIME in ns, to which CUPTI maps device
// times. It can step; ClockSyncRecords let a reader correct for that. Threads: any.
#pragma once

#include <time.h>

#include <cstdint>

namespace prof {

inline std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline std::int64_t now_ns() noexcept { return clock_ns(CLOCK_REALTIME); }

}  // namespace prof
