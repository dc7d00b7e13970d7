// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Widens CUPTI's 32-bit correlation ids, which wrap after some hours and may restart after a stop,
// to 64 bits that never repeat in one process: bits from 48 up count capture sessions, bits from 32
// up count wraps. An id is taken as the candidate closest to the latest seen, so it must not be
// older than 2^31 calls. Threads: any, concurrently; one relaxed load and, for a new highest id,
// one exchange.
#pragma once

#include <atomic>
#include <cstdint>

#include "libprof/model/records.hpp"

namespace prof::collectors {

class CorrelationWidener {
 public:
  /// Starts a session: ids of earlier ones no longer occur. A call in progress on another thread
  /// may be attributed to either.
  void start_session(std::uint32_t session) {
    const std::uint64_t base = std::uint64_t{session} << 48;
    base_.store(base, std::memory_order_relaxed);
    latest_.store(base, std::memory_order_relaxed);
  }

  /// An id of 0 stays 0: no correlation.
  Correlation widen(std::uint32_t id) {
    if (id == 0) return 0;
    const std::uint64_t base = base_.load(std::memory_order_relaxed);
    std::uint64_t latest = latest_.load(std::memory_order_relaxed);
    std::uint64_t wide = 0;
    do {
      if (latest == base) {
        wide = base | id;  // The first id of the session.
      } else {
        const auto distance = static_cast<std::int32_t>(id - static_cast<std::uint32_t>(latest));
        wide = latest + static_cast<std::uint64_t>(std::int64_t{distance});
      }
      if (wide <= latest) return wide;
    } while (!latest_.compare_exchange_weak(latest, wide, std::memory_order_relaxed));
    return wide;
  }

 private:
  std::atomic<std::uint64_t> base_{0}, latest_{0};
};

}  // namespace prof::collectors
