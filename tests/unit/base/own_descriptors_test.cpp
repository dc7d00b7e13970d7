// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/own_descriptors.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "libprof/base/output_file.hpp"

namespace prof {
namespace {

/// A write that fails so many times.
struct Failing {
  int error, times;
  int calls = 0;
  ssize_t operator()() {
    if (calls++ >= times) return 5;
    errno = error;
    return -1;
  }
};

TEST(OwnDescriptors, AWriteThatFailsOnceIsRepeated) {
  const std::uint64_t before = writes_done();
  Failing once{EIO, 1};
  EXPECT_EQ(written([&] { return once(); }), 5);
  EXPECT_EQ(once.calls, 2);
  EXPECT_EQ(writes_done(), before + 1);
}

TEST(OwnDescriptors, WhatDoesNotPassFails) {
  const std::uint64_t before = writes_done();
  Failing always{EIO, 1'000};
  EXPECT_EQ(written([&] { return always(); }), -1);
  EXPECT_EQ(errno, EIO);
  EXPECT_LT(always.calls, 10);
  Failing full{ENOSPC, 1'000};
  EXPECT_EQ(written([&] { return full(); }), -1);
  EXPECT_EQ(full.calls, 1) << "the next commit sees whether there is space";
  EXPECT_EQ(writes_done(), before);
}

/// The status of a process in which `test` holds.
int status_where(bool (*test)()) {
  const pid_t child = fork();
  if (child == 0) _exit(test() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(OwnDescriptors, TheLowestNumbersAreLeftFree) {
  EXPECT_EQ(set_apart(-1), -1);
  EXPECT_EQ(status_where([] {
              const int free = dup(0);
              const int own = set_apart(free);
              return own > free + 100 && dup(0) == free && fcntl(own, F_GETFD) == FD_CLOEXEC;
            }),
            0);
}

TEST(OwnDescriptors, AStandardStreamsNumberIsNotTaken) {
  EXPECT_EQ(status_where([] {
              const rlimit few{4, 4};
              if (setrlimit(RLIMIT_NOFILE, &few) != 0 || close_range(1, ~0U, 0) != 0) return false;
              const bool is_moved = set_apart(dup(0)) == 3;
              const bool is_refused = set_apart(dup(0)) == -1 && errno == EMFILE;
              return is_moved && is_refused && dup(0) == 1;
            }),
            0);
}

TEST(OwnDescriptors, ANumberThatCannotBeMovedIsKept) {
  EXPECT_EQ(status_where([] {
              int last = 0;
              for (int next = dup(0); next >= 0; next = dup(0)) last = next;
              close(10);
              return last > 10 && set_apart(dup(0)) == 10 && fcntl(10, F_GETFD) >= 0;
            }),
            0);
}

TEST(OwnDescriptors, AForkedChildHasNone) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const int own = dup(fileno(file));
  remember_own(own);
  EXPECT_TRUE(is_still_own(own));
  const pid_t child = fork();
  if (child == 0) {
    close_all_own();
    const bool is_closed = identify(own).inode == 0;
    const bool is_reused = dup2(fileno(file), own) == own;
    _exit(is_closed && is_reused && !is_still_own(own) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(is_still_own(own));
  EXPECT_EQ(close_own(own), 0);
  EXPECT_EQ(identify(own).inode, 0u);
  std::fclose(file);
}

}  // namespace
}  // namespace prof
