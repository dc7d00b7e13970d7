// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/become.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace prof::tools {
namespace {

/// The wait status of a process that becomes `command`; 200 + errno as its exit code if it cannot.
int status_of(const std::vector<std::string>& command, const Variables& variables = {},
              void (*before)() = nullptr) {
  const pid_t process = fork();
  if (process == 0) {
    if (before != nullptr) before();
    const OwnSignals signals;
    _exit(200 + become_program(command, variables, signals));
  }
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return status;
}

int exit_code_of(const std::vector<std::string>& command, const Variables& variables = {},
                 void (*before)() = nullptr) {
  const int status = status_of(command, variables, before);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Become, TheEndIsTheProgramsOwn) {
  EXPECT_EQ(exit_code_of({"/bin/sh", "-c", "exit 41"}), 41);
  const int killed = status_of({"/bin/sh", "-c", "kill -KILL $$"});
  EXPECT_TRUE(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGKILL);
}

TEST(Become, VariablesReachTheProgram) {
  const Variables variables = {{"PROF_BECOME_TEST", "a b"}};
  EXPECT_EQ(exit_code_of({"/bin/sh", "-c", "test \"$PROF_BECOME_TEST\" = 'a b'"}, variables), 0);
}

TEST(Become, WhatCannotStartIsTold) {
  EXPECT_EQ(exit_code_of({"/no/such/program"}), 200 + ENOENT);
  EXPECT_EQ(exit_code_of({"/"}), 200 + EACCES);
}

TEST(Become, TheProgramHasTheInheritedActions) {
  // Bits 12 and 24 are signals 13 and 25.
  constexpr const char* kIgnored = "SigIgn:.*[13579bdf]..[13579bdf]...$";
  const std::vector<std::string> look = {"/bin/grep", "-q", kIgnored, "/proc/self/status"};
  EXPECT_EQ(exit_code_of(look), 1);
  EXPECT_EQ(exit_code_of(look, {},
                         [] {
                           signal(SIGPIPE, SIG_IGN);
                           signal(SIGXFSZ, SIG_IGN);
                         }),
            0);
}

}  // namespace
}  // namespace prof::tools
