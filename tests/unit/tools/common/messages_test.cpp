// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the lines on stderr and the exit codes after writing.
#include "tools/common/messages.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <string>

namespace prof::tools {
namespace {

std::string written(const std::function<void(std::FILE*)>& write) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* memory = open_memstream(&data, &size);
  write(memory);
  std::fclose(memory);
  std::string text(data, size);
  std::free(data);
  return text;
}

TEST(Messages, AnErrorIsOneHarmlessLine) {
  EXPECT_EQ(written([](std::FILE* f) { print_error(f, "prog", "a\nb \x1b[2J"); }),
            "prog: a\\nb \\x1b[2J\n");
}

TEST(Messages, WritingEndsInTheRightExitCode) {
  int code = -1;
  EXPECT_EQ(written([&](std::FILE* f) { code = exit_code(0, f, "prog"); }), "");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(written([&](std::FILE* f) { code = exit_code(EPIPE, f, "prog"); }), "");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(written([&](std::FILE* f) { code = exit_code(ENOSPC, f, "prog"); }),
            "prog: cannot write the output: No space left on device\n");
  EXPECT_EQ(code, 1);
}

}  // namespace
}  // namespace prof::tools
