// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The socket of a profiled process under clients of every kind. Each test has a folder of its own
// as XDG_RUNTIME_DIR.
#include "libprof/control/control_socket.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "libprof/control/control_folder.hpp"
#include "libprof/control/control_words.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr uid_t kOther = 12345;

std::string echo(std::string_view word) { return control_ok("did " + std::string(word)); }

class ControlSocketTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/prof-control-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    runtime_ = name;
    setenv("XDG_RUNTIME_DIR", runtime_.c_str(), 1);
  }
  void TearDown() override {
    for (const int client : clients_) close(client);
    fs::remove_all(runtime_);
    unsetenv("XDG_RUNTIME_DIR");
  }

  [[nodiscard]] std::string folder() const { return runtime_ + "/prof"; }
  [[nodiscard]] std::string socket_path() const { return control_socket(folder(), getpid()); }

  static std::unique_ptr<ControlServer> open_server(pid_t pid = getpid()) {
    auto opened = ControlServer::open(pid);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().to_line());
    return opened.ok() ? std::move(opened.value()) : nullptr;
  }
  static std::string refusal() {
    const auto opened = ControlServer::open(getpid());
    return opened.ok() ? "" : opened.error().to_line();
  }

  /// A client that has connected and said nothing; -1 and errno: it could not.
  int join(const std::string& path) {
    const int client = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const auto address = control_address(path);
    if (!address) return -1;
    if (connect(client, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
      const int error = errno;
      close(client);
      errno = error;
      return -1;
    }
    clients_.push_back(client);
    return client;
  }
  int ask(const std::string& path, const std::string& request) {
    const int client = join(path);
    EXPECT_EQ(send(client, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    return client;
  }
  /// "": the server closed without an answer. "nothing": it did neither.
  static std::string answer_to(int client) {
    std::string text(2 * kMaxControlAnswer, '\0');
    const ssize_t bytes = recv(client, text.data(), text.size(), MSG_DONTWAIT);
    if (bytes < 0) return errno == EAGAIN ? "nothing" : "";
    text.resize(static_cast<std::size_t>(bytes));
    return text;
  }
  std::string answer(ControlServer& server, const std::string& request) {
    const int client = ask(server.path(), request);
    server.serve(echo);
    return answer_to(client);
  }

  std::string runtime_;
  std::vector<int> clients_;
};

std::int64_t ms_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

/// The exit status of a forked child; what it returns.
int in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(ControlSocketTest, EveryWordIsAnswered) {
  const auto server = open_server();
  for (const std::string_view word : kControlWords) {
    EXPECT_EQ(answer(*server, control_request(word)), "ok did " + std::string(word));
  }
}

TEST_F(ControlSocketTest, TheFolderIsTheUsersUnderAnyUmask) {
  const mode_t before = umask(0777);
  const auto server = open_server();
  umask(before);
  struct stat info {};
  ASSERT_EQ(lstat(folder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode, mode_t{S_IFDIR | 0700});
}

TEST_F(ControlSocketTest, TheFolderAndTheSocketAreTheUsersAlone) {
  const mode_t before = umask(0);
  const auto server = open_server();
  umask(before);
  EXPECT_EQ(server->path(), socket_path());
  struct stat info {};
  ASSERT_EQ(lstat(folder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode, mode_t{S_IFDIR | 0700});
  ASSERT_EQ(lstat(socket_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode, mode_t{S_IFSOCK | 0600});
  EXPECT_EQ(fcntl(server->fd(), F_GETFD), FD_CLOEXEC);
  EXPECT_NE(fcntl(server->fd(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(ControlSocketTest, JunkIsNotUnderstood) {
  const auto server = open_server();
  for (const std::string& request :
       {std::string("start"), std::string("prof1 "), std::string("prof1 start "),
        std::string("prof2 start"), std::string("prof1 start\n"), std::string("prof1 START"),
        std::string(256, 'x'), std::string(257, 'x'), std::string(10'000, 'x'),
        "prof1 start" + std::string(10'000, '\0'), std::string("\0\xff", 2)}) {
    EXPECT_THAT(answer(*server, request), StartsWith("error not understood")) << request.size();
  }
  EXPECT_EQ(answer(*server, "prof1 status"), "ok did status");
}

TEST_F(ControlSocketTest, ALongAnswerIsCutBetweenCharacters) {
  const auto server = open_server();
  const int client = ask(server->path(), "prof1 status");
  std::string text = "ok ";
  for (int i = 0; i < 5000; ++i) text += "\xc3\xa4";
  server->serve([&](std::string_view) { return text; });
  EXPECT_EQ(answer_to(client), text.substr(0, kMaxControlAnswer - 1));
}

TEST_F(ControlSocketTest, AnAnswerThatThrowsIsAnError) {
  const auto server = open_server();
  const int client = ask(server->path(), "prof1 status");
  server->serve([](std::string_view) -> std::string { throw std::runtime_error("no"); });
  EXPECT_THAT(answer_to(client), StartsWith("error "));
  EXPECT_EQ(answer(*server, "prof1 status"), "ok did status");
}

TEST_F(ControlSocketTest, NoClientIsNoTrouble) {
  const auto server = open_server();
  EXPECT_LT(ms_of([&] { server->serve(echo); }), 50);
}

TEST_F(ControlSocketTest, SilentClientsDelayNobodyLong) {
  const auto server = open_server();
  std::vector<int> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(join(server->path()));
  const int client = ask(server->path(), "prof1 start");
  const std::int64_t ms = ms_of([&] { server->serve(echo); });
  EXPECT_LT(ms, 250);
  EXPECT_EQ(answer_to(client), "ok did start");
  for (const int one : silent) EXPECT_EQ(answer_to(one), "");
}

TEST_F(ControlSocketTest, AClientThatLeavesIsNoTrouble) {
  const auto server = open_server();
  close(ask(server->path(), "prof1 start"));  // SIGPIPE would end the test.
  close(join(server->path()));
  clients_.clear();
  EXPECT_EQ(answer(*server, "prof1 stop"), "ok did stop");
}

TEST_F(ControlSocketTest, DescriptorsThatAClientSendsAreDropped) {
  const auto server = open_server();
  const int client = join(server->path());
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  std::string request = "prof1 start";
  iovec part{request.data(), request.size()};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &ends[1], sizeof(int));
  ASSERT_GT(sendmsg(client, &message, MSG_NOSIGNAL), 0);
  server->serve(echo);
  EXPECT_EQ(answer_to(client), "ok did start");
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the other end is still open";
  close(ends[0]);
}

TEST_F(ControlSocketTest, TwoHundredClientsAreAllAnswered) {
  const auto server = open_server();
  constexpr int kMany = 200;
  std::atomic<int> answered{0}, refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kMany; ++i) {
    threads.emplace_back([&, path = server->path()] {
      const int client = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
      const auto address = control_address(path);
      char text[64] = {};
      // A closed connection is a refusal: the client tries again, as prof-run does.
      const bool is_sent =
          connect(client, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0 &&
          send(client, "prof1 status", 12, MSG_NOSIGNAL) == 12;
      const bool is_answered = is_sent && recv(client, text, sizeof text, 0) > 0 &&
                               std::string_view(text) == "ok did status";
      ++(is_answered ? answered : refused);
      close(client);
    });
  }
  while (answered + refused < kMany) {
    pollfd wait{server->fd(), POLLIN, 0};
    poll(&wait, 1, 100);
    server->serve(echo);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(answered, kMany * 9 / 10);
}

TEST_F(ControlSocketTest, WrongFoldersAreRefusedInOneLine) {
  ASSERT_EQ(mkdir(folder().c_str(), 0755), 0);
  EXPECT_EQ(refusal(), folder() +
                           ": has the permissions 0755, and must be its user's alone; set them to "
                           "0700 (chmod 700)");
  chmod(folder().c_str(), 0701);
  EXPECT_THAT(refusal(), HasSubstr("permissions 0701"));
  fs::remove(folder());

  const std::string target = runtime_ + "/elsewhere";
  ASSERT_EQ(mkdir(target.c_str(), 0700), 0);
  fs::create_symlink(target, folder());
  EXPECT_THAT(refusal(), StartsWith(folder() + ": is a symbolic link"));
  fs::remove(folder());

  close(::open(folder().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0700));
  EXPECT_THAT(refusal(), StartsWith(folder() + ": is not a folder"));
  fs::remove(folder());
  EXPECT_TRUE(fs::is_empty(target));

  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: not root, so no folder of another user";
  ASSERT_EQ(mkdir(folder().c_str(), 0700), 0);
  ASSERT_EQ(chown(folder().c_str(), kOther, kOther), 0);
  EXPECT_THAT(refusal(), StartsWith(folder() + ": belongs to user 12345"));
}

TEST_F(ControlSocketTest, TheVariableCountsIfItsFolderIsTheUsersOwn) {
  const uid_t user = geteuid();
  const std::string shared = "/tmp/prof-" + std::to_string(user);
  EXPECT_EQ(control_folder(user), folder());
  EXPECT_EQ(control_folder(user + 1), "/tmp/prof-" + std::to_string(user + 1));
  chmod(runtime_.c_str(), 0777);
  EXPECT_EQ(control_folder(user), shared);
  chmod(runtime_.c_str(), 0700);
  for (const std::string& value : {std::string(), std::string("relative"), runtime_ + "/missing",
                                   std::string("/etc/passwd")}) {
    setenv("XDG_RUNTIME_DIR", value.c_str(), 1);
    EXPECT_EQ(control_folder(user), shared) << value;
  }
  const std::string deep = runtime_ + "/" + std::string(80, 'x');
  ASSERT_EQ(mkdir(deep.c_str(), 0700), 0);
  setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
  EXPECT_EQ(control_folder(user), shared) << "its sockets' paths are too long";
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(control_folder(user), shared);
  EXPECT_THAT(control_folders(user), testing::Contains(shared));
}

// As another user, whose folder in /tmp nobody minds.
TEST_F(ControlSocketTest, WithoutTheVariableTheFolderIsInTmp) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: not root, so no other user";
  const std::string shared = "/tmp/prof-" + std::to_string(kOther);
  fs::remove_all(shared);
  EXPECT_EQ(in_child([&] {
              if (setresgid(kOther, kOther, kOther) != 0) return 2;
              if (setresuid(kOther, kOther, kOther) != 0) return 3;
              const auto opened = ControlServer::open(getpid());  // The variable names root's.
              if (!opened.ok()) return 4;
              return opened.value()->path() == control_socket(shared, getpid()) ? 0 : 5;
            }),
            0);
  EXPECT_TRUE(fs::is_empty(shared));
  fs::remove_all(shared);
}

TEST_F(ControlSocketTest, TheSocketGoesWithTheServer) {
  auto server = open_server();
  EXPECT_TRUE(fs::exists(socket_path()));
  const int number = server->fd();
  server.reset();
  EXPECT_FALSE(fs::exists(socket_path()));
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
  EXPECT_TRUE(open_server());
}

TEST_F(ControlSocketTest, ARemovedSocketIsNoTroubleAndAnotherIsKept) {
  auto server = open_server();
  const int client = ask(server->path(), "prof1 stop");
  fs::remove(socket_path());
  server->serve(echo);
  EXPECT_EQ(answer_to(client), "ok did stop");
  close(::open(socket_path().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  server->close_and_remove();
  EXPECT_TRUE(fs::exists(socket_path())) << "it was not the server's";
  EXPECT_EQ(server->fd(), -1);
  server->serve(echo);
}

TEST_F(ControlSocketTest, SocketsOfDeadProcessesAreReplacedAndRemoved) {
  pid_t dead = 0;
  {
    // Killed: it removes nothing.
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    dead = fork();
    if (dead == 0) {
      const auto own = ControlServer::open(getpid());
      const auto parents = ControlServer::open(getppid());
      const char is_open = own.ok() && parents.ok() ? 1 : 0;
      if (write(ends[1], &is_open, 1) == 1) pause();
      _exit(1);
    }
    char is_open = 0;
    ASSERT_EQ(read(ends[0], &is_open, 1), 1);
    EXPECT_EQ(is_open, 1);
    EXPECT_THAT(refusal(), HasSubstr("another process listens")) << "it lives";
    kill(dead, SIGKILL);
    waitpid(dead, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
  }
  EXPECT_TRUE(fs::exists(control_socket(folder(), dead)));
  EXPECT_TRUE(fs::exists(socket_path()));
  const std::string other = folder() + "/notes.sock";
  close(::open(other.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const auto server = open_server();
  EXPECT_EQ(answer(*server, "prof1 start"), "ok did start");
  EXPECT_FALSE(fs::exists(control_socket(folder(), dead)));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(ControlSocketTest, ASocketOfALivingProcessIsKept) {
  const pid_t parent = getppid();
  const auto others = open_server(parent);
  const auto server = open_server();
  EXPECT_TRUE(fs::exists(control_socket(folder(), parent)));
  EXPECT_EQ(answer(*others, "prof1 start"), "ok did start");
}

TEST_F(ControlSocketTest, WhatIsNoSocketIsKept) {
  ASSERT_EQ(mkdir(folder().c_str(), 0700), 0);
  close(::open(socket_path().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  EXPECT_EQ(refusal(), socket_path() + ": exists and is not a socket; remove it");
  EXPECT_TRUE(fs::exists(socket_path()));
}

TEST_F(ControlSocketTest, AnotherUserIsRefusedAlsoRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: not root, so no other user";
  const auto server = open_server();
  // Where the folder would not keep it out.
  chmod(folder().c_str(), 0777);
  chmod(runtime_.c_str(), 0777);
  chmod(server->path().c_str(), 0666);
  int client = -1;
  const uid_t own = geteuid();
  ASSERT_EQ(seteuid(kOther), 0);
  client = ask(server->path(), "prof1 stop");
  ASSERT_EQ(seteuid(own), 0);
  bool is_called = false;
  server->serve([&](std::string_view word) {
    is_called = true;
    return echo(word);
  });
  EXPECT_FALSE(is_called);
  EXPECT_EQ(answer_to(client), "error only the user of this process may steer it");

  // Root, at a server that was made as another user.
  ASSERT_EQ(chown(folder().c_str(), kOther, kOther), 0);
  ASSERT_EQ(chown(runtime_.c_str(), kOther, kOther), 0);
  chmod(folder().c_str(), 0700);
  chmod(runtime_.c_str(), 0700);
  ASSERT_EQ(seteuid(kOther), 0);
  const auto others = open_server(getppid());
  ASSERT_EQ(seteuid(own), 0);
  ASSERT_TRUE(others);
  EXPECT_EQ(answer(*others, "prof1 stop"), "error only the user of this process may steer it");
}

TEST_F(ControlSocketTest, ADescriptorThatTheProgramClosedIsGivenUp) {
  const auto server = open_server();
  const int number = server->fd();
  close(number);
  EXPECT_EQ(server->fd(), -1);
  // The number is another socket's, on which somebody waits.
  const int theirs = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const std::string path = runtime_ + "/theirs";
  const auto address = control_address(path);
  ASSERT_EQ(bind(theirs, reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  ASSERT_EQ(listen(theirs, 5), 0);
  if (theirs != number) {
    ASSERT_EQ(dup2(theirs, number), number);
    close(theirs);
  }
  EXPECT_EQ(server->fd(), -1);
  const int client = ask(path, "prof1 start");
  server->serve(echo);
  EXPECT_EQ(answer_to(client), "nothing");
  server->close_and_remove();
  EXPECT_GE(fcntl(number, F_GETFD), 0) << "it is not ours to close";
  EXPECT_FALSE(fs::exists(socket_path()));
  close(number);
}

TEST_F(ControlSocketTest, TheProgramClosesAllWhileItIsAnswered) {
  const auto server = open_server();
  const int client = ask(server->path(), "prof1 stop");
  std::vector<int> theirs;
  server->serve([&](std::string_view word) {
    for (int number = 3; number < 1024; ++number) {
      if (number == client || fcntl(number, F_GETFD) < 0) continue;
      struct stat info {};
      fstat(number, &info);
      if (!S_ISSOCK(info.st_mode)) continue;
      const int file = ::open((runtime_ + "/own" + std::to_string(number)).c_str(),
                              O_CREAT | O_RDWR | O_CLOEXEC, 0600);
      theirs.push_back(dup2(file, number));
      close(file);
    }
    return echo(word);
  });
  ASSERT_EQ(theirs.size(), 2U) << "the listener and the client";
  for (const int file : theirs) {
    struct stat info {};
    EXPECT_EQ(fstat(file, &info), 0) << "it was closed";
    EXPECT_EQ(info.st_size, 0) << "it was written to";
    close(file);
  }
  EXPECT_EQ(answer_to(client), "");
  EXPECT_EQ(server->fd(), -1);
}

TEST_F(ControlSocketTest, WithoutDescriptorsLeftItWaitsInsteadOfSpinning) {
  const auto server = open_server();
  const int client = ask(server->path(), "prof1 stop");
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int lowest_free = dup(client);
  close(lowest_free);
  const rlimit none{static_cast<rlim_t>(lowest_free), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::int64_t ms = ms_of([&] { server->serve(echo); });
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_GE(ms, 50);
  EXPECT_EQ(answer_to(client), "nothing");
  server->serve(echo);
  EXPECT_EQ(answer_to(client), "ok did stop") << "served once there is room";
}

TEST_F(ControlSocketTest, AForkedChildLeavesTheSocketToItsParent) {
  const auto server = open_server();
  const std::string path = server->path();
  EXPECT_EQ(in_child([&] {
              const int number = server->fd();
              server->forget_in_child();
              if (server->fd() != -1 || fcntl(number, F_GETFD) != -1) return 2;
              server->serve(echo);
              server->close_and_remove();
              return fs::exists(path) ? 0 : 3;
            }),
            0);
  // One that was not told.
  EXPECT_EQ(in_child([&] {
              server->close_and_remove();
              return fs::exists(path) ? 0 : 3;
            }),
            0);
  EXPECT_EQ(answer(*server, "prof1 start"), "ok did start");
}

TEST_F(ControlSocketTest, StandardStreamsStayFree) {
  EXPECT_EQ(in_child([&] {
              close(STDIN_FILENO);
              const auto opened = ControlServer::open(getpid());
              if (!opened.ok()) return 2;
              if (opened.value()->fd() <= STDERR_FILENO) return 3;
              const int client = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
              const auto address = control_address(opened.value()->path());
              connect(client, reinterpret_cast<const sockaddr*>(&*address), sizeof *address);
              send(client, "prof1 stop", 10, MSG_NOSIGNAL);
              fcntl(client, F_DUPFD_CLOEXEC, 3);
              close(client);  // 0, before.
              bool is_free = false;
              opened.value()->serve([&](std::string_view word) {
                is_free = fcntl(STDIN_FILENO, F_GETFD) == -1;
                return echo(word);
              });
              return is_free ? 0 : 4;
            }),
            0);
}

TEST(ControlWords, AnswersAreRead) {
  const auto is = [](std::string_view answer, bool is_ok, std::string_view text) {
    const auto read = read_control_answer(answer);
    return read && read->is_ok == is_ok && read->text == text;
  };
  EXPECT_TRUE(is(control_ok("captures"), true, "captures"));
  EXPECT_TRUE(is(control_error("why"), false, "why"));
  EXPECT_TRUE(is("ok", true, ""));
  EXPECT_TRUE(is("ok a\nb\n", true, "a\nb"));
  for (const char* junk : {"", "okay", "oh", "errors", "\n", " ok x"})
    EXPECT_FALSE(read_control_answer(junk)) << junk;
}

}  // namespace
}  // namespace prof
