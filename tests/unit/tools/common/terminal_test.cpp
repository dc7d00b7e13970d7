// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of terminal questions, with a pseudo terminal.
#include "tools/common/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace prof::tools {
namespace {

class Terminal : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("COLUMNS");
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(master_, 0);
    ASSERT_EQ(grantpt(master_), 0);
    ASSERT_EQ(unlockpt(master_), 0);
    terminal_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal_, 0);
    ASSERT_EQ(pipe(pipe_), 0);
  }
  void TearDown() override {
    unsetenv("COLUMNS");
    for (const int descriptor : {master_, terminal_, pipe_[0], pipe_[1]}) close(descriptor);
  }
  void set_width(unsigned short columns) const {
    winsize size{};
    size.ws_col = columns;
    ASSERT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
  }

  int master_ = -1, terminal_ = -1;
  int pipe_[2] = {-1, -1};
};

TEST_F(Terminal, HasTheWidthThatItSays) {
  set_width(137);
  EXPECT_EQ(terminal_width(terminal_), 137U);
}

TEST_F(Terminal, IsEightyWideWhereNobodyKnows) {
  set_width(0);
  EXPECT_EQ(terminal_width(terminal_), 80U);
}

TEST_F(Terminal, TheVariableOverrides) {
  set_width(137);
  setenv("COLUMNS", "60", 1);
  EXPECT_EQ(terminal_width(terminal_), 60U);
  for (const char* nonsense : {"", "x", "12x", "0", "-5", "99999999999999999999"}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_EQ(terminal_width(terminal_), 137U) << nonsense;
  }
}

TEST_F(Terminal, APipeHasNoWidthWhateverTheVariableSays) {
  setenv("COLUMNS", "60", 1);
  EXPECT_FALSE(terminal_width(pipe_[1]).has_value());
}

TEST_F(Terminal, KnowsWhereTwoDescriptorsLead) {
  EXPECT_TRUE(same_destination(pipe_[1], pipe_[1]));
  EXPECT_FALSE(same_destination(pipe_[1], terminal_));
  EXPECT_FALSE(same_destination(-1, -1));
}

}  // namespace
}  // namespace prof::tools
