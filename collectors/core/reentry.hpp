// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A signal handler of the program may push, pop, mark or launch, and may have interrupted the same
// thread inside our code, where its ring and stack are half changed. Every call that touches them
// holds an InsideCall; one that finds another of its thread suspended below it must not touch
// anything: it is refused and counted (in_signal_handler).
//
// Pushes and pops stay balanced: what was refused is noted for its domain and settled when the
// interrupted call ends: a refused push as a range that is open but not kept, a refused pop by
// popping late. A handler that never returns (longjmp) leaves its thread inside forever: all the
// thread's later calls are refused and counted. This is indistinguishable from a handler on its own
// stack, so no guess is made.
//
// Same thread only: plain bytes, no atomics. Each function acts on the calling thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "libprof/model/losses.hpp"
#include "libprof/model/records.hpp"

namespace prof::collectors {

struct ThreadState;

struct Inside {
  bool busy;                    ///< One of our calls is in progress, perhaps suspended.
  bool owing;                   ///< Refused pushes or pops are waiting to be settled.
  std::uint16_t refused_calls;  ///< Refused CUDA calls that the thread is in.
};
extern __thread Inside t_inside __attribute__((tls_model("initial-exec")));

/// Settles the calling thread's refused pushes and pops; only while it is not busy.
void settle_refused() noexcept;

class InsideCall {
 public:
  InsideCall() noexcept : entered_(!t_inside.busy) {
    // A handler that runs between the two lines ends before the second.
    if (entered_) t_inside.busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~InsideCall() {
    if (!entered_) return;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    t_inside.busy = false;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // Checked last: only a handler that found `busy` set can have set it.
    if (t_inside.owing) [[unlikely]]
      settle_refused();
  }
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;

  /// False: refuse the call.
  [[nodiscard]] bool entered() const noexcept { return entered_; }

 private:
  const bool entered_;
};

/// Counts a refused call, by its kind.
void refuse_event() noexcept;
/// Counts a refused CUDA call; one inside a refused call counts only if `count_nested`.
void refuse_call_begin(bool count_nested, Loss why = Loss::kInSignalHandler) noexcept;
void refuse_call_end() noexcept;
void refuse_push(DomainId domain) noexcept;
void refuse_pop(DomainId domain) noexcept;

/// Refused pushes minus refused pops, of the domains that a thread's handlers use. If there are
/// more domains than fit, nothing is noted for the rest: a handler that closes its own ranges
/// leaves nothing to settle.
class RefusedRanges {
 public:
  /// Handlers may interrupt each other in this function.
  void push(DomainId domain) noexcept { add(domain, 1); }
  /// True: this pop matches a refused push of the domain.
  bool pop(DomainId domain) noexcept { return add(domain, -1) > 0; }

  /// Calls settle(domain, pushes minus pops) for each domain that has any, and forgets them.
  template <typename Settle>
  void settle(Settle settle) noexcept {
    for (Refused& one : of_domains_) {
      const std::uint32_t id = one.id_and_1.load(std::memory_order_relaxed);
      if (id == 0) return;
      if (one.pushes.load(std::memory_order_relaxed) == 0) continue;
      settle(DomainId{id - 1}, one.pushes.exchange(0, std::memory_order_relaxed));
    }
  }
  /// May be called only when no handler can run.
  void clear() noexcept {
    for (Refused& one : of_domains_) {
      one.id_and_1.store(0, std::memory_order_relaxed);
      one.pushes.store(0, std::memory_order_relaxed);
    }
  }

 private:
  struct Refused {
    std::atomic<std::uint32_t> id_and_1{0};  ///< 0: free, like all entries that follow.
    std::atomic<std::int32_t> pushes{0};
  };

  std::int32_t add(DomainId domain, std::int32_t change) noexcept {
    for (Refused& one : of_domains_) {
      std::uint32_t id = 0;
      const bool is_taken = one.id_and_1.compare_exchange_strong(id, domain.value + 1);
      if (is_taken || id == domain.value + 1)
        return one.pushes.fetch_add(change, std::memory_order_relaxed);
    }
    return 0;
  }

  std::array<Refused, 32> of_domains_;
};

}  // namespace prof::collectors
