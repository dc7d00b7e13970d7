// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Forced writers of one name, all at once, for tests of who has the file.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace prof {

/// What became of an attempt to write the file.
enum class Attempt { kRefused, kKept, kTakenAway };

/// Each of the processes calls `attempt()` until it has had the file `rounds` times; each one that
/// was given the file must still have it when it is done with it.
template <typename TryToWrite>
void expect_each_keeps_its_file(int processes, int rounds, TryToWrite attempt) {
  constexpr unsigned kMaxSeconds = 100;  // However busy the machine is.
  for (int process = 0; process < processes; ++process) {
    if (fork() != 0) continue;
    alarm(kMaxSeconds);
    for (int had = 0; had < rounds;) {
      const Attempt made = attempt();
      if (made == Attempt::kTakenAway) _exit(1);
      if (made == Attempt::kKept) ++had;
    }
    _exit(0);
  }
  for (int process = 0; process < processes; ++process) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace prof
