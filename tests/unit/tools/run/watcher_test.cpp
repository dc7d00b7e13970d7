// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/watcher.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>

#include "libprof/control/watcher_page.hpp"

namespace prof::tools {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kRunId = "1-2";

/// What the reader of a process's stderr sees until its end; the process is gone then.
std::string stderr_of(const std::function<void()>& program) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    program();
    _exit(0);
  }
  close(ends[1]);
  std::string text, part(4096, '\0');
  for (ssize_t bytes = 0; (bytes = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part, 0, static_cast<std::size_t>(bytes));
  close(ends[0]);
  EXPECT_EQ(waitpid(process, nullptr, 0), process);
  return text;
}

const ExpectedTrace kMissing{"/no/such/trace.db", "", 0};

TEST(Watcher, TellsAfterADeathThatThereIsNoTrace) {
  const std::string text = stderr_of([] {
    const Watcher watcher(kMissing, kRunId);
    kill(getpid(), SIGKILL);
  });
  EXPECT_THAT(text, StartsWith("prof-run: no trace was written to /no/such/trace.db: "));
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(Watcher, IsSilentWhereThereIsOneOrAllIsSaid) {
  EXPECT_EQ(stderr_of([] { const Watcher watcher({"/proc/self/status", "", 0}, kRunId); }), "");
  EXPECT_EQ(stderr_of([] { Watcher(kMissing, kRunId).dismiss(); }), "");
  EXPECT_EQ(stderr_of([] {
              const Watcher watcher(kMissing, kRunId);
              WatcherPage::open(watcher.where().c_str(), kRunId)->settle();
            }),
            "");
}

TEST(Watcher, AnswersWhyThereIsNone) {
  EXPECT_THAT(stderr_of([] {
                const Watcher watcher(kMissing, kRunId);
                WatcherPage* const page = WatcherPage::open(watcher.where().c_str(), kRunId);
                const std::string why = page->ask(std::chrono::seconds(20));
                page->settle();
                if (write(STDERR_FILENO, why.data(), why.size()) < 0) _exit(1);
              }),
              HasSubstr(" "));
}

TEST(Watcher, OnlyItsOwnPageIsOpened) {
  EXPECT_EQ(stderr_of([] {
              Watcher watcher(kMissing, kRunId);
              if (WatcherPage::open(watcher.where().c_str(), "1-3") != nullptr) perror("other run");
              if (WatcherPage::open("/proc/self/fd/2", kRunId) != nullptr) perror("a pipe");
              watcher.dismiss();
            }),
            "");
}

TEST(Watcher, TheProgramKnowsNothingOfIt) {
  EXPECT_EQ(stderr_of([] {
              sigset_t child;
              sigemptyset(&child);
              sigaddset(&child, SIGCHLD);
              sigprocmask(SIG_BLOCK, &child, nullptr);
              Watcher watcher(kMissing, kRunId);
              if (watcher.where().empty()) perror("none");
              if (waitpid(-1, nullptr, __WALL | WNOHANG) != -1 || errno != ECHILD) perror("child");
              sigset_t pending;
              sigpending(&pending);
              if (sigismember(&pending, SIGCHLD) == 1) perror("signal");
              rusage usage{};
              getrusage(RUSAGE_CHILDREN, &usage);
              if (usage.ru_maxrss != 0) perror("usage");
              watcher.dismiss();
            }),
            "");
}

TEST(Watcher, TheEndsOfChildrenThatTheProgramHasAreItsOwn) {
  EXPECT_EQ(stderr_of([] {
              for (int i = 0; i < 20; ++i) {
                const pid_t child = fork();
                if (child == 0) {
                  usleep(static_cast<useconds_t>(i) * 100);
                  _exit(3);
                }
                Watcher watcher(kMissing, kRunId);
                if (watcher.where().empty()) perror("none");
                int status = 0;
                if (waitpid(-1, &status, 0) != child || WEXITSTATUS(status) != 3) perror("lost");
                if (waitpid(-1, nullptr, __WALL | WNOHANG) != -1 || errno != ECHILD)
                  perror("child");
                watcher.dismiss();
              }
            }),
            "");
}

TEST(Watcher, APipeThatTheProgramClosesEndsForItsReader) {
  int ends[2], wait[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(wait, O_CLOEXEC), 0);
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDERR_FILENO);
    for (const int end : {ends[0], ends[1], wait[1]}) close(end);
    Watcher watcher(kMissing, kRunId);
    close(STDERR_FILENO);
    char byte = 0;
    if (read(wait[0], &byte, 1) == 0) watcher.dismiss();
    _exit(0);
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the end";
  EXPECT_EQ(waitpid(process, nullptr, WNOHANG), 0) << "the program is still there";
  for (const int end : {ends[0], wait[0], wait[1]}) close(end);
  waitpid(process, nullptr, 0);
}

TEST(Watcher, ThereIsNoneWhereItWouldBecomeAChild) {
  EXPECT_EQ(stderr_of([] {
              prctl(PR_SET_CHILD_SUBREAPER, 1);
              const Watcher watcher(kMissing, kRunId);
              if (!watcher.where().empty()) perror("one");
            }),
            "");
}

}  // namespace
}  // namespace prof::tools
