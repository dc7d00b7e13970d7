// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphActivity: tracks which threads change CUDA graphs. CUPTI reports nothing while it is
// detached, so between windows it is detached for a moment only if no other thread is likely to
// change a graph in that moment.
//
// Threads: any, without locks.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/cupti/call_class.hpp"

namespace prof::collectors {

class GraphActivity {
 public:
  /// CUPTI has just been subscribed to; ongoing captures of streams are unknown.
  void begin() noexcept {
    captures_.store(0, std::memory_order_relaxed);
    forget_threads();
  }
  void forget_threads() noexcept { thread_.store(kNobody, std::memory_order_relaxed); }

  /// The calling thread makes, changes or destroys a graph.
  void changed() noexcept {
    std::uintptr_t seen = kNobody;
    if (!thread_.compare_exchange_strong(seen, this_thread(), std::memory_order_relaxed) &&
        seen != this_thread()) {
      thread_.store(kSeveral, std::memory_order_relaxed);
    }
  }

  /// A driver's call ends.
  void called(CallClass call, std::int32_t status) noexcept {
    if (call == CallClass::kCaptureBegin && status == 0) [[unlikely]]
      captures_.fetch_add(1, std::memory_order_relaxed);
    // A call that fails has ended the capture as well. The begin may have gone unseen.
    if (call == CallClass::kCaptureEnd) [[unlikely]] {
      int captures = captures_.load(std::memory_order_relaxed);
      while (captures > 0 &&
             !captures_.compare_exchange_weak(captures, captures - 1, std::memory_order_relaxed)) {
      }
    }
  }

  /// Whether a stream is being captured into a graph.
  [[nodiscard]] bool is_capturing() const noexcept {
    return captures_.load(std::memory_order_relaxed) != 0;
  }
  /// Whether no other thread than the calling one has changed a graph since forget_threads(), and
  /// no stream is being captured.
  [[nodiscard]] bool is_callers_alone() const noexcept {
    const std::uintptr_t thread = thread_.load(std::memory_order_relaxed);
    return !is_capturing() && (thread == kNobody || thread == this_thread());
  }

 private:
  static constexpr std::uintptr_t kNobody = 0;
  static constexpr std::uintptr_t kSeveral = 1;

  static std::uintptr_t this_thread() noexcept {
    static thread_local char mark;
    return reinterpret_cast<std::uintptr_t>(&mark);
  }

  std::atomic<int> captures_{0};  ///< Number of streams that are being captured.
  std::atomic<std::uintptr_t> thread_{kNobody};
};

}  // namespace prof::collectors
