// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/command_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prof::tools {
namespace {

struct ManualOptions : testing::Test {
  ManualOptions() {
    line.arguments("file", files, "files");
    line.word({"-m,--mode", "MODE", "how to\ndo it", Values::one_of({{"a", ""}, {"b", ""}})}, mode);
    line.values({"--only", "[A:]B", "some"}, only);
    line.flag("--quiet", quiet, "say nothing");
  }

  CommandLine line{"program"};
  std::string mode;
  std::vector<std::string> files, only;
  bool quiet = false;
};

TEST_F(ManualOptions, AreThoseOfTheHelp) {
  const auto options = line.manual_options();
  ASSERT_EQ(options.size(), 4U);
  EXPECT_EQ(options[0].flags, (std::vector<std::string>{"-h", "--help"}));
  EXPECT_EQ(options[0].type, "");
  EXPECT_EQ(options[1].flags, (std::vector<std::string>{"-m", "--mode"}));
  EXPECT_EQ(options[1].type, "MODE");
  EXPECT_EQ(options[1].help, "how to do it");
  EXPECT_FALSE(options[1].is_repeatable);
  EXPECT_EQ(options[1].values.words.size(), 2U);
  EXPECT_EQ(options[2].type, "[A:]B");
  EXPECT_TRUE(options[2].is_repeatable);
  EXPECT_EQ(options[3].type, "");
}

}  // namespace
}  // namespace prof::tools
