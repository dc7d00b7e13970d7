// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Commands to processes that answer, do not, or are not there. The server is the collector's own.
#include "tools/run/steer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "libprof/control/control_folder.hpp"
#include "libprof/control/control_socket.hpp"
#include "libprof/control/control_words.hpp"

namespace prof::tools {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr uid_t kOther = 12345;
constexpr milliseconds kLong{20'000}, kShort{300};
constexpr const char* kNoCommands = " takes no commands: start it with prof-run --capture control";

std::string named(pid_t pid) { return "process " + std::to_string(pid); }

class SteerTest : public testing::Test {
 protected:
  void SetUp() override {
    runtime_ = "/tmp/prof-steer-XXXXXX";
    ASSERT_NE(mkdtemp(runtime_.data()), nullptr);
    setenv("XDG_RUNTIME_DIR", runtime_.c_str(), 1);
  }
  void TearDown() override {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
    fs::remove_all(runtime_);
    unsetenv("XDG_RUNTIME_DIR");
  }

  /// A socket of this process, which nobody serves yet.
  void open_server(pid_t pid = getpid()) {
    auto opened = ControlServer::open(pid);
    ASSERT_TRUE(opened.ok()) << opened.error().to_line();
    server_ = std::move(opened.value());
  }
  void serve(ControlServer::Answer answer) {
    thread_ = std::thread([this, answer = std::move(answer)] {
      while (!is_over_) {
        pollfd wait{server_->fd(), POLLIN, 0};
        if (poll(&wait, 1, 10) > 0) server_->serve(answer);
      }
    });
  }
  static std::string line(pid_t pid, milliseconds patience = kLong) {
    const auto answer = steer(pid, "status", patience);
    return answer ? "answer: " + *answer : answer.error().to_line();
  }
  /// A child that stays until the end of the test.
  class Child {
   public:
    explicit Child(const std::function<void()>& work) : pid(fork()) {
      if (pid != 0) return;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      work();
      for (;;) pause();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    const pid_t pid;
  };
  static void wait_for(const std::function<bool()>& is_so) {
    for (int i = 0; i < 2000 && !is_so(); ++i) poll(nullptr, 0, 5);
    ASSERT_TRUE(is_so());
  }

  std::string runtime_;
  std::unique_ptr<ControlServer> server_;
  std::thread thread_;
  std::atomic<bool> is_over_{false};
};

TEST_F(SteerTest, EveryWordReachesTheProcess) {
  open_server();
  serve([](std::string_view word) { return control_ok("did " + std::string(word)); });
  for (const std::string_view word : kControlWords) {
    const auto answer = steer(getpid(), word, kLong);
    ASSERT_TRUE(answer.ok()) << answer.error().to_line();
    EXPECT_EQ(*answer, "did " + std::string(word));
  }
}

TEST_F(SteerTest, TheProcessSaysWhyItCannot) {
  open_server();
  serve([](std::string_view) { return control_error("no window is open"); });
  EXPECT_EQ(line(getpid()), named(getpid()) + ": no window is open");
}

TEST_F(SteerTest, AnAnswerOfAnotherKindIsNotUnderstood) {
  open_server();
  serve([](std::string_view) { return std::string("hello"); });
  EXPECT_EQ(line(getpid()),
            named(getpid()) + " gave an answer that this prof-run does not understand");
}

TEST_F(SteerTest, TheLongestAnswerIsWhole) {
  open_server();
  const std::string text(kMaxControlAnswer - 3, 'x');
  serve([text](std::string_view) { return control_ok(text + "beyond"); });
  EXPECT_EQ(line(getpid()), "answer: " + text);
}

TEST_F(SteerTest, AProcessWithoutASocketTakesNoCommands) {
  EXPECT_EQ(line(getpid()), named(getpid()) + kNoCommands);
  open_server();
  fs::remove(server_->path());
  EXPECT_EQ(line(getpid()), named(getpid()) + kNoCommands);
  // One that an earlier process of the number left.
  const Child child([] {});
  const int leftover = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const auto address = control_address(control_socket(runtime_ + "/prof", child.pid));
  ASSERT_EQ(bind(leftover, reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  close(leftover);
  EXPECT_EQ(line(child.pid), named(child.pid) + kNoCommands);
}

TEST_F(SteerTest, AProcessThatIsNotThere) {
  EXPECT_EQ(line(0x7ffffff0), "there is no process " + std::to_string(0x7ffffff0));
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT);
  EXPECT_EQ(line(ended), named(ended) + " has ended");
  waitpid(ended, nullptr, 0);
}

TEST_F(SteerTest, AProcessOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: not root, so no other user";
  const Child child([] {
    if (setresuid(kOther, kOther, kOther) != 0) _exit(1);
  });
  wait_for([&] { return line(child.pid) != named(child.pid) + kNoCommands; });
  EXPECT_EQ(line(child.pid),
            named(child.pid) + " belongs to user 12345: only that user may steer it");
}

TEST_F(SteerTest, ASocketOfAnotherUserGetsNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: not root, so no other user";
  const std::string folder = runtime_ + "/prof";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  chmod(runtime_.c_str(), 0711);
  ASSERT_EQ(chown(folder.c_str(), kOther, kOther), 0);
  const int theirs = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const std::string path = control_socket(folder, getpid());
  const auto address = control_address(path);
  ASSERT_EQ(seteuid(kOther), 0);
  ASSERT_EQ(bind(theirs, reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  ASSERT_EQ(listen(theirs, 5), 0);
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(line(getpid()), named(getpid()) + kNoCommands + " (not looked for in " + folder +
                                ", which belongs to user 12345)");
  EXPECT_EQ(accept(theirs, nullptr, nullptr), -1) << "it was not even connected to";
  // In a folder that has become the user's.
  ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  EXPECT_EQ(line(getpid()), named(getpid()) + ": " + path + " is another user's: nothing was sent");
  const int connected = accept(theirs, nullptr, nullptr);
  char byte = 0;
  EXPECT_EQ(recv(connected, &byte, 1, 0), 0);
  close(connected);
  close(theirs);
}

TEST_F(SteerTest, ASocketThatAnotherProcessListensOnGetsNothing) {
  const Child child([] {});
  open_server(child.pid);  // As a process with that number in another container would.
  std::atomic<bool> is_asked{false};
  serve([&](std::string_view) {
    is_asked = true;
    return control_ok("");
  });
  EXPECT_EQ(line(child.pid), named(child.pid) + kNoCommands);
  EXPECT_FALSE(is_asked);
}

TEST_F(SteerTest, AProcessThatDoesNotAnswer) {
  open_server();
  EXPECT_EQ(line(getpid(), kShort), named(getpid()) + " does not answer within 1 s");
  // With a full queue of connections, too.
  std::vector<int> others;
  const auto address = control_address(server_->path());
  for (;;) {
    others.push_back(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connect(others.back(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
      break;
  }
  EXPECT_EQ(line(getpid(), kShort), named(getpid()) + " does not answer within 1 s");
  for (const int other : others) close(other);
}

TEST_F(SteerTest, AStoppedProcessIsNamedSo) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Child child([&] {
    static auto opened = ControlServer::open(getpid());
    const char is_open = opened.ok() ? 1 : 0;
    if (write(ends[1], &is_open, 1) < 0) _exit(1);
    raise(SIGSTOP);
  });
  char is_open = 0;
  ASSERT_EQ(read(ends[0], &is_open, 1), 1);
  ASSERT_EQ(is_open, 1);
  int status = 0;
  waitpid(child.pid, &status, WUNTRACED);
  EXPECT_EQ(line(child.pid, kShort), named(child.pid) +
                                         " does not answer within 1 s: it is stopped (continue it "
                                         "with kill -CONT)");
  close(ends[0]);
  close(ends[1]);
}

TEST_F(SteerTest, AProcessThatEndsBeforeItAnswers) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  signal(SIGCHLD, SIG_IGN);  // No zombie is left.
  const Child child([&] {
    auto opened = ControlServer::open(getpid());
    const char is_open = opened.ok() ? 1 : 0;
    if (write(ends[1], &is_open, 1) < 0) _exit(1);
    for (;;) opened.value()->serve([](std::string_view) -> std::string { _exit(0); });
  });
  char is_open = 0;
  ASSERT_EQ(read(ends[0], &is_open, 1), 1);
  EXPECT_THAT(line(child.pid),
              testing::AnyOf(named(child.pid) + " ended before it answered",
                             named(child.pid) + " closed the connection without an answer"));
  signal(SIGCHLD, SIG_DFL);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(SteerTest, ACommandThatWasNotReadIsSentAgain) {
  open_server();
  std::atomic<int> turned_away{0};
  thread_ = std::thread([&] {
    while (!is_over_) {
      pollfd wait{server_->fd(), POLLIN, 0};
      if (poll(&wait, 1, 10) <= 0) continue;
      if (turned_away == 3) {
        server_->serve([](std::string_view) { return control_ok("at last"); });
      } else {
        poll(nullptr, 0, 20);  // Until it has been sent.
        close(accept(server_->fd(), nullptr, nullptr));
        ++turned_away;
      }
    }
  });
  EXPECT_EQ(line(getpid()), "answer: at last");
  EXPECT_EQ(turned_away, 3);
}

TEST_F(SteerTest, ManyAtOnceAreAllAnswered) {
  open_server();
  serve([](std::string_view) { return control_ok("yes"); });
  std::atomic<int> answered{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 200; ++i)
    clients.emplace_back([&] { answered += line(getpid()) == "answer: yes" ? 1 : 0; });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 200);
}

TEST_F(SteerTest, StoppingAndFlushingMayTakeLong) {
  EXPECT_EQ(patience_with("stop"), milliseconds(60'000));
  EXPECT_EQ(patience_with("flush"), milliseconds(60'000));
  EXPECT_EQ(patience_with("start"), milliseconds(10'000));
  EXPECT_EQ(patience_with("status"), milliseconds(10'000));
}

}  // namespace
}  // namespace prof::tools
