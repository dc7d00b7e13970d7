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

/// The duration of a wait, for giving up. Each look adds at most a second: if more time has passed,
/// the process was suspended (Ctrl-Z, a frozen job), and so was the thing that it waits for.
class WaitTime {
 public:
  std::int64_t passed_ns() noexcept {
    constexpr std::int64_t kMostOfALookNs = 1'000'000'000;
    const std::int64_t now = clock_ns(CLOCK_MONOTONIC);
    passed_ns_ += now - looked_ns_ < kMostOfALookNs ? now - looked_ns_ : kMostOfALookNs;
    looked_ns_ = now;
    return passed_ns_;
  }

 private:
  std::int64_t looked_ns_ = clock_ns(CLOCK_MONOTONIC), passed_ns_ = 0;
};

}  // namespace prof
