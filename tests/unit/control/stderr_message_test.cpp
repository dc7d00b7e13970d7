// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a line leaves behind in the thread that says it: nothing.
#include "libprof/control/stderr_message.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace prof {
namespace {

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

/// A pipe takes the place of stderr before the first call of remember_stderr() in this process.
class SayTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    reader = ends[0];
    writer = ends[1];
    ASSERT_EQ(fcntl(reader, F_SETFL, O_NONBLOCK), 0);
  }

  void SetUp() override {
    own_stderr_ = dup(STDERR_FILENO);
    dup2(writer, STDERR_FILENO);
    remember_stderr();
  }
  void TearDown() override {
    dup2(own_stderr_, STDERR_FILENO);
    close(own_stderr_);
  }

  static std::string said() {
    std::string text(65536, '\0');
    const ssize_t bytes = read(reader, text.data(), text.size());
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return text;
  }

  static int reader, writer;

 private:
  int own_stderr_ = -1;
};
int SayTest::reader = -1;
int SayTest::writer = -1;

TEST_F(SayTest, ControlCharactersBecomeSpaces) {
  print_message("a\nb\x1b[1m\x7f c\xc3\xa4");
  EXPECT_EQ(said(), "prof: a b [1m  c\xc3\xa4\n");
}

TEST_F(SayTest, TheLongestLineIsWholeAndALongerOneIsCut) {
  const std::string whole(4096 - 7, 'x');
  print_message(whole);
  EXPECT_EQ(said(), "prof: " + whole + "\n");
  print_message(whole + "x");
  EXPECT_EQ(said(), "prof: " + whole.substr(3) + "...\n");
}

TEST_F(SayTest, AnotherFileIsNotWrittenTo) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  dup2(ends[1], STDERR_FILENO);
  print_message("not for you");
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), -1);
  // What comes later does not change what was seen first.
  remember_stderr();
  print_message("not for you");
  EXPECT_EQ(read(ends[0], &byte, 1), -1);
  close(ends[0]);
  close(ends[1]);
  dup2(writer, STDERR_FILENO);
  print_message("here again");
  EXPECT_EQ(said(), "prof: here again\n");
}

// The last test: nobody reads after it.
TEST_F(SayTest, ZReaderIsGone) {
  close(reader);
  sigset_t mask_before, mask_after, pipe_signal;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  errno = 77;
  print_message("nobody hears this");  // SIGPIPE would end the test.
  EXPECT_EQ(errno, 77);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  for (int signal = 1; signal < 32; ++signal)
    EXPECT_EQ(sigismember(&mask_before, signal), sigismember(&mask_after, signal)) << signal;

  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
  print_message("nobody hears this");
  EXPECT_FALSE(is_pending(SIGPIPE)) << "ours was left to the program";
  pthread_kill(pthread_self(), SIGPIPE);
  print_message("nobody hears this");
  EXPECT_TRUE(is_pending(SIGPIPE)) << "the program's own was taken";
}

}  // namespace
}  // namespace prof
