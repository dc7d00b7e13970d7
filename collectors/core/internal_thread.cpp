// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The capture's own threads, see internal_thread.hpp.
#include "collectors/core/internal_thread.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "collectors/core/thread_state.hpp"
#include "libprof/base/clock.hpp"

namespace prof::collectors {
namespace {

/// Blocks all signals during its lifetime. Signals that our own writes raised meanwhile are
/// discarded: they are not the program's.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    sigpending(&pending_before_);
  }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;
  ~AllSignalsBlocked() {
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, signal);
      const timespec at_once{};
      if (sigismember(&pending_before_, signal) == 0) sigtimedwait(&one, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{}, pending_before_{};
};

struct Run {
  std::function<void()> action;
  sem_t done;

  explicit Run(std::function<void()> what) : action(std::move(what)) { sem_init(&done, 0, 0); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { sem_destroy(&done); }

  void run() noexcept {
    try {
      action();
    } catch (...) {
      // The action reports its own failures.
    }
    sem_post(&done);
  }
};

/// False: timed out.
bool wait_for(sem_t& done, std::int64_t timeout_ns) {
  const std::int64_t until = clock_ns(CLOCK_MONOTONIC) + timeout_ns;
  const timespec deadline{until / 1'000'000'000, until % 1'000'000'000};
  for (;;) {
    if (sem_clockwait(&done, CLOCK_MONOTONIC, &deadline) == 0) return true;
    if (errno != EINTR) return false;
  }
}

bool wait_patiently(sem_t& done, const Patience& patience) {
  constexpr std::int64_t kLookNs = 200'000'000;
  std::uint64_t seen = patience.progress();
  std::int64_t seen_at = clock_ns(CLOCK_MONOTONIC);
  for (;;) {
    if (wait_for(done, std::min(kLookNs, patience.without_progress_ns))) return true;
    const std::uint64_t now = patience.progress();
    const std::int64_t now_at = clock_ns(CLOCK_MONOTONIC);
    if (now != seen) {
      seen = now;
      seen_at = now_at;
    } else if (now_at - seen_at >= patience.without_progress_ns) {
      return false;
    }
  }
}

}  // namespace

std::thread start_internal_thread(const char* name, std::function<void()> body) {
  const AllSignalsBlocked blocked;  // The new thread inherits it.
  return std::thread([name, body = std::move(body)] {
    mark_internal_thread();
    pthread_setname_np(pthread_self(), name);
    body();
  });
}

bool run_on_internal_thread(const char* name, std::function<void()> action,
                            const Patience* patience) {
  // Shared with the thread, which may continue after the waiter has given up.
  auto run = std::make_shared<Run>(std::move(action));
  std::thread thread;
  try {
    thread = start_internal_thread(name, [run] { run->run(); });
  } catch (...) {  // No thread could be created, or no memory for one.
    const AllSignalsBlocked blocked;
    run->run();
    return true;
  }
  if (patience == nullptr || wait_patiently(run->done, *patience)) {
    thread.join();
    return true;
  }
  thread.detach();
  return false;
}

}  // namespace prof::collectors
