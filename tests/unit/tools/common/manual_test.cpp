// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/manual.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace prof::tools {
namespace {

struct ManualOptions : testing::Test {
  ManualOptions() {
    app.add_option("file", file, "a file");
    app.add_option("-m,--mode", mode, "how to\ndo it")
        ->type_name("MODE")
        ->check(CLI::IsMember({"a", "b"}));
    app.add_option("--only", only, "some")->type_name("[A:]B")->allow_extra_args(false);
    app.add_flag("--quiet", quiet, "say nothing");
  }

  CLI::App app;
  std::string file, mode;
  std::vector<std::string> only;
  bool quiet = false;
};

TEST_F(ManualOptions, AreThoseOfTheHelp) {
  const auto options = options_of(app, {{"--mode", Values::one_of({{"a", ""}, {"b", ""}})}});
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

TEST_F(ManualOptions, ValuesBelongToAnOption) {
  EXPECT_THROW((void)options_of(app, {{"--gone", Values::file("*")}}), std::logic_error);
}

}  // namespace
}  // namespace prof::tools
