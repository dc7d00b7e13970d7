// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/internal_thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace prof::collectors {
namespace {

using namespace std::chrono_literals;

TEST(InternalThread, NoSignalReachesIt) {
  sigset_t before, inside;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  EXPECT_TRUE(
      run_on_internal_thread("test", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); }));
  for (const int signal : {SIGTERM, SIGPIPE, SIGXFSZ, SIGALRM, SIGRTMIN})
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

TEST(InternalThread, AnExceptionEndsOnlyTheAction) {
  EXPECT_TRUE(run_on_internal_thread("test", [] { throw std::runtime_error("no"); }));
}

TEST(InternalThread, WhatGetsNowhereIsGivenUp) {
  static std::atomic<bool> may_end{false};  // The thread may outlive the test.
  const StallTimeout stall_timeout{[] { return 1; }, 50'000'000};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(run_on_internal_thread(
      "test",
      [] {
        while (!may_end.load()) std::this_thread::sleep_for(1ms);
      },
      &stall_timeout));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  may_end.store(true);
}

TEST(InternalThread, WhatGetsOnIsWaitedFor) {
  std::atomic<std::uint64_t> done{0};
  const StallTimeout stall_timeout{[&] { return done.load(); }, 1'000'000'000};
  EXPECT_TRUE(run_on_internal_thread(
      "test",
      [&] {
        while (done.fetch_add(1) < 30) std::this_thread::sleep_for(100ms);
      },
      &stall_timeout));
  EXPECT_EQ(done.load(), 31U);
}

TEST(InternalThread, TheTimeInWhichTheProcessIsStoppedDoesNotCount) {
  const pid_t child = fork();
  if (child == 0) {
    const StallTimeout stall_timeout{[] { return 1; }, 3'000'000'000};
    const bool is_done = run_on_internal_thread(
        "test",
        [] {
          for (int i = 0; i < 25; ++i) std::this_thread::sleep_for(20ms);
        },
        &stall_timeout);
    _exit(is_done ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  std::this_thread::sleep_for(100ms);
  kill(child, SIGSTOP);
  std::this_thread::sleep_for(4s);
  kill(child, SIGCONT);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(InternalThread, IsNeitherBoundNorOfARealTimeClass) {
  cpu_set_t all, one, inside;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  std::size_t first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const sched_param real_time{1};
  const bool is_real_time = sched_setscheduler(0, SCHED_FIFO, &real_time) == 0;
  int policy = -1;
  run_on_internal_thread("test", [&] {
    sched_getaffinity(0, sizeof inside, &inside);
    policy = sched_getscheduler(0);
  });
  const sched_param ordinary{};
  if (is_real_time) sched_setscheduler(0, SCHED_OTHER, &ordinary);
  sched_setaffinity(0, sizeof all, &all);
  EXPECT_TRUE(CPU_EQUAL(&inside, &all));
  EXPECT_EQ(policy, SCHED_OTHER);
}

// Where there can be no thread, the action runs on the caller's, and a full file does not kill it.
TEST(InternalThread, WithoutAThreadSignalsAreBlockedHere) {
#if defined(PROF_SANITIZED)
  GTEST_SKIP() << "a sanitizer's own memory does not fit into the limit";
#endif
  const pid_t child = fork();
  if (child == 0) {
    // No room for another stack, and none of an earlier thread is large enough.
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 30);
    pthread_setattr_default_np(&large);
    const struct rlimit no_memory { std::size_t{1} << 20, std::size_t{1} << 20 };
    setrlimit(RLIMIT_AS, &no_memory);
    const struct rlimit no_file { 0, 0 };
    setrlimit(RLIMIT_FSIZE, &no_file);
    char name[] = "/tmp/prof_full_XXXXXX";
    const int file = mkstemp(name);
    unlink(name);
    const pid_t caller = gettid();
    bool was_here = false;
    run_on_internal_thread("test", [&] {
      was_here = gettid() == caller;
      if (write(file, "x", 1) == 1) _exit(2);
    });
    _exit(was_here ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace prof::collectors
