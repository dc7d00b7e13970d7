// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals of a timer for one thread of a test program.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

/// A timer whose signals go to the calling thread: CUDA's own threads must not run the
/// handler.
class ThreadTimer {
 public:
  ThreadTimer() {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) std::exit(85);
  }
  ~ThreadTimer() { timer_delete(timer_); }
  void set(std::uint64_t first_us, std::uint64_t then_us) const {
    const itimerspec times{{0, static_cast<long>(then_us * 1000)},
                           {0, static_cast<long>(first_us * 1000)}};
    timer_settime(timer_, 0, &times, nullptr);
  }

 private:
  timer_t timer_{};
};
