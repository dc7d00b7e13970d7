// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts of everything that was lost, one counter for each line of model/losses.hpp. The recorder's
// worker turns what was added since its last pass into LossRecords. Threads: add() from any, at
// once, without lock or allocation; take() from one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "libprof/base/clock.hpp"
#include "libprof/model/losses.hpp"

namespace prof::collectors {

class LossCounters {
 public:
  struct Delta {
    std::uint64_t count = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
  };

  void add(Loss loss, std::uint64_t count = 1) noexcept {
    if (count == 0) return;
    Counter& counter = counters_[static_cast<std::size_t>(loss)];
    const std::int64_t now = now_ns();
    std::int64_t unset = 0;
    counter.first_ns.compare_exchange_strong(unset, now, std::memory_order_relaxed);
    counter.last_ns.store(now, std::memory_order_relaxed);
    counter.count.fetch_add(count, std::memory_order_release);
  }

  /// The count since the process began.
  [[nodiscard]] std::uint64_t total(Loss loss) const noexcept {
    return counters_[static_cast<std::size_t>(loss)].count.load(std::memory_order_acquire);
  }

  /// The losses added since the last take(); count 0: none. Every loss is taken exactly once.
  Delta take(Loss loss) noexcept {
    Counter& counter = counters_[static_cast<std::size_t>(loss)];
    const std::uint64_t total = counter.count.load(std::memory_order_acquire);
    const std::uint64_t fresh = total - counter.taken;
    if (fresh == 0) return {};
    counter.taken = total;
    return {fresh, counter.first_ns.exchange(0, std::memory_order_relaxed),
            counter.last_ns.load(std::memory_order_relaxed)};
  }

 private:
  struct Counter {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::int64_t> first_ns{0};
    std::atomic<std::int64_t> last_ns{0};
    std::uint64_t taken = 0;
  };
  std::array<Counter, kLossCount> counters_;
};

}  // namespace prof::collectors
