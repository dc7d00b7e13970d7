// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of Output: blocks, the first error, nothing lost and nothing twice.
#include "tools/common/output.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <string>

namespace prof::tools {
namespace {

TEST(Output, WritesEverythingInOrder) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* memory = open_memstream(&data, &size);
  std::string expected;
  {
    Output output(memory);
    for (int i = 0; i < 100000; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      expected += line;
      output.write(line);
    }
    EXPECT_GT(size, 0U) << "blocks are handed over while writing";
    EXPECT_LT(size, expected.size());
    output.flush();
    EXPECT_EQ(output.error(), 0);
  }
  EXPECT_EQ(std::string(data, size), expected);
  std::fclose(memory);
  std::free(data);
}

TEST(Output, RemembersThatTheDiskIsFull) {
  std::FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) GTEST_SKIP() << "no /dev/full here";
  Output output(full);
  output.write("x");
  EXPECT_EQ(output.error(), 0) << "nothing was handed over yet";
  output.flush();
  EXPECT_EQ(output.error(), ENOSPC);
  EXPECT_FALSE(output.commit());
  output.write("more");
  output.flush();
  EXPECT_EQ(output.error(), ENOSPC) << "the first error stays";
  std::fclose(full);
}

TEST(Output, TellsThatTheReaderWentAway) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  std::FILE* stream = fdopen(ends[1], "w");
  Output output(stream);
  output.write("x");
  output.flush();
  EXPECT_EQ(output.error(), EPIPE);
  std::fclose(stream);
}

}  // namespace
}  // namespace prof::tools
