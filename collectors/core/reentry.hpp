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

#include <atomic>
#include <cstdint>

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

/// Refused calls, by what they would have done.
void refuse_event() noexcept;
/// A CUDA call; one inside a refused call counts only if `count_nested`.
void refuse_call_begin(bool count_nested) noexcept;
void refuse_call_end() noexcept;
void refuse_push(DomainId domain) noexcept;
void refuse_pop(DomainId domain) noexcept;

/// Refused pushes minus refused pops, by domain. Stored in the thread's mapping.
class RefusedRanges {
 public:
  void attach(std::atomic<std::int32_t>* by_domain, std::uint32_t max_domains) noexcept {
    by_domain_ = by_domain;
    max_domains_ = max_domains;
  }
  /// Handlers may interrupt each other in here.
  void push(DomainId domain) noexcept { add(domain, 1); }
  /// True: this pop matches a refused push of the domain.
  bool pop(DomainId domain) noexcept { return add(domain, -1) > 0; }

  /// Calls settle(domain, pushes minus pops) for each domain that has any, and forgets them.
  template <typename Settle>
  void settle(Settle settle) noexcept {
    const std::uint32_t end = end_.load(std::memory_order_relaxed);
    for (std::uint32_t id = 0; id < end; ++id) {
      if (by_domain_[id].load(std::memory_order_relaxed) == 0) continue;
      settle(DomainId{id}, by_domain_[id].exchange(0, std::memory_order_relaxed));
    }
  }
  void clear() noexcept {
    settle([](DomainId, std::int32_t) {});
    end_.store(0, std::memory_order_relaxed);
  }

 private:
  std::int32_t add(DomainId domain, std::int32_t change) noexcept {
    if (domain.value >= max_domains_) return 0;
    std::uint32_t end = end_.load(std::memory_order_relaxed);
    while (end <= domain.value &&
           !end_.compare_exchange_weak(end, domain.value + 1, std::memory_order_relaxed)) {
    }
    return by_domain_[domain.value].fetch_add(change, std::memory_order_relaxed);
  }

  std::atomic<std::int32_t>* by_domain_ = nullptr;
  std::uint32_t max_domains_ = 0;
  std::atomic<std::uint32_t> end_{0};  ///< One past the highest domain.
};

}  // namespace prof::collectors
