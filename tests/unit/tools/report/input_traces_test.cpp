// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the options of a comparison.
#include "tools/report/all_reports.hpp"
#include "tools/report/options/options.hpp"

#include <gtest/gtest.h>

namespace prof::reports {
namespace {

class SidesTest : public testing::Test {
 protected:
  SidesTest() { register_reports(registry_); }
  Result<Options> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "prof-report");
    return parse_options(static_cast<int>(arguments.size()), arguments.data(), registry_);
  }
  std::string mistake(std::vector<const char*> arguments) {
    const auto options = parse(std::move(arguments));
    return options ? "no mistake" : options.error().to_line();
  }

  Registry registry_;
};

constexpr const char* kUsage = "; give two traces, or sides: -r diff --base a.db... --new b.db...";

TEST_F(SidesTest, TwoTracesAreTheSides) {
  const auto options = parse({"-r", "diff", "a.db", "b.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->base_traces, 1U);
  EXPECT_EQ(options->traces, (std::vector<std::string>{"a.db", "b.db"}));
  EXPECT_FALSE(options->fail_above_pct);
}

TEST_F(SidesTest, SidesHaveAnyNumberOfTraces) {
  const auto options =
      parse({"-r", "diff", "--new", "b1.db", "b2.db", "b3.db", "--base", "a1.db", "a2.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->base_traces, 2U);
  EXPECT_EQ(options->traces,
            (std::vector<std::string>{"a1.db", "a2.db", "b1.db", "b2.db", "b3.db"}));
}

TEST_F(SidesTest, MistakesGetOneLine) {
  EXPECT_EQ(mistake({"-r", "diff", "a.db"}),
            std::string("-r: report 'diff' compares two traces, and there is 1") + kUsage);
  EXPECT_EQ(mistake({"-r", "diff", "a.db", "b.db", "c.db"}),
            std::string("-r: report 'diff' compares two traces, and there are 3") + kUsage);
  EXPECT_EQ(mistake({"-r", "diff", "--base", "a.db"}),
            std::string("--base: needs the other side") + kUsage);
  EXPECT_EQ(mistake({"-r", "diff", "--new", "a.db"}),
            std::string("--new: needs the side before") + kUsage);
  EXPECT_EQ(mistake({"-r", "diff", "c.db", "--base", "a.db", "--new", "b.db"}),
            "-r diff: 'c.db' is on no side; give it after --base or --new");
  EXPECT_EQ(mistake({"--base", "a.db", "--new", "b.db"}),
            "--base: applies to report 'diff' only; give -r diff");
  EXPECT_EQ(mistake({"--fail-above", "5%", "a.db"}),
            "--fail-above: applies to report 'diff' only; give -r diff");
  EXPECT_EQ(mistake({"--sql", "SELECT 1", "--new", "b.db"}),
            "--new: applies to report 'diff' only; give -r diff");
}

TEST_F(SidesTest, ALimitIsAPercentage) {
  for (const char* word : {"5%", "5", " 5 % ", "5.0%"}) {
    const auto options = parse({"-r", "diff", "--fail-above", word, "a.db", "b.db"});
    ASSERT_TRUE(options) << word;
    EXPECT_EQ(options->fail_above_pct, 5.0) << word;
  }
  for (const char* word : {"%", "5 us", "-1%", "nan", "inf", "five"}) {
    EXPECT_EQ(
        mistake({"-r", "diff", "a.db", "b.db", (std::string("--fail-above=") + word).c_str()}),
        std::string("--fail-above: '") + word + "' is not a percentage; give 5%");
  }
}

}  // namespace
}  // namespace prof::reports
