// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The mutex for everything that program threads share. While a thread holds one, no signal handler
// of the program runs on that thread: the handler might need the same mutex, or never return.
// Signals for the thread's own faults (SIGSEGV and the like) are still delivered, as without the
// profiler. Threads: any. Costs two system calls unless the thread already holds one; not used for
// pushes and pops.
#pragma once

#include <mutex>

namespace prof::collectors {

/// From block_signals() to the matching unblock_signals() the calling thread takes no signals
/// except those raised by its own faults. Nests.
void block_signals() noexcept;
void unblock_signals() noexcept;
/// Whether the calling thread is between the two; only a fault handler can observe that.
[[nodiscard]] bool signals_are_blocked() noexcept;

class SignalsBlocked {
 public:
  SignalsBlocked() noexcept { block_signals(); }
  ~SignalsBlocked() { unblock_signals(); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
};

class SignalSafeMutex {
 public:
  constexpr SignalSafeMutex() noexcept = default;
  SignalSafeMutex(const SignalSafeMutex&) = delete;
  SignalSafeMutex& operator=(const SignalSafeMutex&) = delete;

  void lock() noexcept {
    block_signals();
    mutex_.lock();
  }
  void unlock() noexcept {
    mutex_.unlock();
    unblock_signals();
  }

 private:
  std::mutex mutex_;
};

}  // namespace prof::collectors
