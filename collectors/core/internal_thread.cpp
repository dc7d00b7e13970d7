// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The capture's own threads, see internal_thread.hpp.
#include "collectors/core/internal_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

/// More CPUs than any machine has; the system knows how many it uses.
using Cpus = std::array<cpu_set_t, 8>;

/// The CPUs that the process was started on: those of its main thread when this library was loaded.
class ProcessCpus {
 public:
  /// Runs before the program's main().
  [[gnu::constructor]] static void remember() noexcept {
    is_known = sched_getaffinity(getpid(), sizeof cpus, cpus.data()) == 0;
  }
  /// Binds the calling thread to these CPUs.
  static void use() noexcept {
    if (is_known) sched_setaffinity(0, sizeof cpus, cpus.data());
  }

 private:
  static constinit Cpus cpus;
  static constinit bool is_known;
};
constinit Cpus ProcessCpus::cpus{};
constinit bool ProcessCpus::is_known = false;

/// A thread inherits the real-time class and the CPU binding of its creator. Our threads would
/// compete with it there.
void leave_class_and_cpus_of_the_program() noexcept {
  const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  const sched_param ordinary{};
  if (policy == SCHED_FIFO || policy == SCHED_RR) sched_setscheduler(0, SCHED_OTHER, &ordinary);
  ProcessCpus::use();
}

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

bool wait_patiently(sem_t& done, const StallTimeout& stall_timeout) {
  constexpr std::int64_t kLookNs = 200'000'000;
  std::uint64_t seen = stall_timeout.progress();
  WaitTime without_progress;
  for (;;) {
    if (wait_for(done, std::min(kLookNs, stall_timeout.without_progress_ns))) return true;
    const std::uint64_t now = stall_timeout.progress();
    if (now != seen) {
      seen = now;
      without_progress = {};
    } else if (without_progress.passed_ns() >= stall_timeout.without_progress_ns) {
      return false;
    }
  }
}

}  // namespace

std::thread start_internal_thread(const char* name, std::function<void()> body) {
  const AllSignalsBlocked blocked;  // The new thread inherits the mask.
  return std::thread([name, body = std::move(body)] {
    mark_internal_thread();
    leave_class_and_cpus_of_the_program();
    pthread_setname_np(pthread_self(), name);
    body();
  });
}

bool run_on_internal_thread(const char* name, std::function<void()> action,
                            const StallTimeout* stall_timeout) {
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
  if (stall_timeout == nullptr || wait_patiently(run->done, *stall_timeout)) {
    thread.join();
    return true;
  }
  thread.detach();
  return false;
}

}  // namespace prof::collectors
