// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of when text is styled, with a pseudo terminal.
#include "tools/common/styles.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace prof::tools {
namespace {

class StylesOf : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(master_, 0);
    ASSERT_EQ(grantpt(master_), 0);
    ASSERT_EQ(unlockpt(master_), 0);
    terminal_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal_, 0);
    ASSERT_EQ(pipe(pipe_), 0);
  }
  void TearDown() override {
    unsetenv("NO_COLOR");
    for (const int descriptor : {master_, terminal_, pipe_[0], pipe_[1]}) close(descriptor);
  }
  static bool are_plain(const Styles& styles) {
    return styles.begin(Style::kBold).empty() && styles.begin(Style::kDim).empty() &&
           styles.begin(Style::kYellow).empty() && styles.end().empty();
  }

  int master_ = -1, terminal_ = -1;
  int pipe_[2] = {-1, -1};
};

TEST_F(StylesOf, ATerminalAreShown) {
  EXPECT_EQ(Styles::of(terminal_).begin(Style::kBold), "\x1b[1m");
  EXPECT_EQ(Styles::of(terminal_).end(), "\x1b[0m");
}

TEST_F(StylesOf, APipeArePlain) { EXPECT_TRUE(are_plain(Styles::of(pipe_[1]))); }

TEST_F(StylesOf, ADumbTerminalArePlain) {
  setenv("TERM", "dumb", 1);
  EXPECT_TRUE(are_plain(Styles::of(terminal_)));
}

TEST_F(StylesOf, AUserWhoWantsNoneArePlain) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_TRUE(are_plain(Styles::of(terminal_)));
  setenv("NO_COLOR", "", 1);
  EXPECT_FALSE(are_plain(Styles::of(terminal_))) << "empty counts as not set";
}

TEST(Styles, ArePlainUnlessAskedFor) { EXPECT_TRUE(Styles().begin(Style::kBold).empty()); }

}  // namespace
}  // namespace prof::tools
