// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The mutex of everything that program threads share. While a thread holds one, no signal handler
// of the program runs on it: the handler might want the same mutex, or never return. Faults of the
// thread's own making (SIGSEGV and the like) come through, as without the profiler.
// Threads: any. Costs two system calls where the thread holds none already; not for pushes and
// pops.
#pragma once

#include <mutex>

namespace prof::collectors {

/// From block_signals() to its unblock_signals() the calling thread takes no signal but those that
/// its own faults raise. Nests.
void block_signals() noexcept;
void unblock_signals() noexcept;
/// Whether the calling thread is between the two: only a handler of a fault can find it so.
[[nodiscard]] bool signals_are_blocked() noexcept;

class SignalsBlocked {
 public:
  SignalsBlocked() noexcept { block_signals(); }
  ~SignalsBlocked() { unblock_signals(); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
};

class QuietMutex {
 public:
  constexpr QuietMutex() noexcept = default;
  QuietMutex(const QuietMutex&) = delete;
  QuietMutex& operator=(const QuietMutex&) = delete;

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
