// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/late_stderr.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace prof::tools {
namespace {

/// What it is once `descriptor` has been descriptor 2; the descriptor is closed.
std::unique_ptr<LateStderr> late_stderr_of(int descriptor) {
  const int own = dup(STDERR_FILENO);
  dup2(descriptor, STDERR_FILENO);
  auto late = std::make_unique<LateStderr>();
  dup2(own, STDERR_FILENO);
  close(own);
  close(descriptor);
  return late;
}

bool is_readable(int descriptor, int within_ms) {
  pollfd wait{descriptor, POLLIN, 0};
  return poll(&wait, 1, within_ms) > 0;
}

class LatePipe : public testing::Test {
 protected:
  LatePipe() {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~LatePipe() override { close(ends_[0]); }
  std::string read_some() {
    std::string text(100, '\0');
    const ssize_t bytes = read(ends_[0], text.data(), text.size());
    return bytes < 0 ? "nothing yet" : text.substr(0, static_cast<std::size_t>(bytes));
  }
  int ends_[2] = {-1, -1};
};

TEST_F(LatePipe, ItsReaderWaitsUntilItIsGivenUp) {
  const auto late = late_stderr_of(ends_[1]);
  EXPECT_EQ(read_some(), "nothing yet");
  late->print("a line\n");
  EXPECT_EQ(read_some(), "a line\n");
  late->give_up_pipe();
  EXPECT_EQ(read_some(), "") << "the end";
  EXPECT_LT(late->closings(), 0);
  // A reader that is still there has not seen the last of it.
  late->print("another\n");
  EXPECT_EQ(read_some(), "another\n");
}

TEST_F(LatePipe, AWritersEndIsTold) {
  const int other = dup(ends_[1]);
  const auto late = late_stderr_of(ends_[1]);
  EXPECT_TRUE(late->is_held_by(getpid()));
  EXPECT_FALSE(is_readable(late->closings(), 50)) << "the same writer has a second descriptor";
  close(other);
  EXPECT_TRUE(is_readable(late->closings(), 5000));
  late->take_closings();
  EXPECT_FALSE(is_readable(late->closings(), 0));
}

TEST_F(LatePipe, NobodyReadsIt) {
  const auto late = late_stderr_of(ends_[1]);
  close(ends_[0]);
  signal(SIGPIPE, SIG_IGN);
  late->print("a line\n");
  late->give_up_pipe();
  late->print("a line\n");
  signal(SIGPIPE, SIG_DFL);
  ends_[0] = -1;
}

TEST(LateFile, TheLineIsBetweenThoseOfOthers) {
  std::string path = (std::filesystem::temp_directory_path() / "late_stderr_XXXXXX").string();
  const int file = mkstemp(path.data());
  ASSERT_EQ(write(file, "before\n", 7), 7);
  const int others = dup(file);
  const auto late = late_stderr_of(file);
  EXPECT_LT(late->closings(), 0);
  late->print("a line\n");
  ASSERT_EQ(write(others, "after\n", 6), 6);
  close(others);
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "before\na line\nafter\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace prof::tools
