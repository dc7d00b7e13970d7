// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the command line: defaults, and that each mistake gets one clear line.
#include "tools/report/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prof::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

class OptionsTest : public testing::Test {
 protected:
  OptionsTest() { register_builtin(registry_); }
  Result<Options> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "prof-report");
    return parse_options(static_cast<int>(arguments.size()), arguments.data(), registry_);
  }
  std::string mistake(std::vector<const char*> arguments) {
    const auto options = parse(std::move(arguments));
    if (options) return "no mistake";
    const std::string line = options.error().to_line();
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    return line;
  }

  Registry registry_;
};

TEST_F(OptionsTest, Defaults) {
  const auto options = parse({"t.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->traces, std::vector<std::string>{"t.db"});
  EXPECT_EQ(options->report->info().name, "kernels");
  EXPECT_EQ(options->form->form, Form::kTable);
  EXPECT_EQ(options->columns.size(), 7U);
  EXPECT_FALSE(options->step);
  EXPECT_FALSE(options->answer);
}

TEST_F(OptionsTest, MachinesGetMoreColumns) {
  EXPECT_GT(parse({"-f", "json", "t.db"})->columns.size(), 27U);
  EXPECT_EQ(parse({"-f", "json", "-c", "idx,op", "t.db"})->columns.size(), 2U);
}

TEST_F(OptionsTest, TakesEverything) {
  const auto options =
      parse({"-r", "layers", "-f", "csv", "-c", "layer,kernels", "--step", "-3", "t.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->report->info().name, "layers");
  EXPECT_EQ(options->step, -3);
}

TEST_F(OptionsTest, MistakesAreToldWithWhatIsValid) {
  EXPECT_THAT(mistake({"-r", "kernel", "t.db"}),
              testing::StartsWith("-r: unknown report 'kernel'; reports are kernels, "));
  EXPECT_EQ(mistake({"-f", "xml", "t.db"}),
            "-f: unknown format 'xml'; formats are table, csv, json");
  EXPECT_THAT(
      mistake({"-c", "idx,foo", "t.db"}),
      testing::StartsWith("-c: unknown column 'foo' in report 'kernels'; columns are idx,"));
  EXPECT_THAT(mistake({"-c", "idx,,op", "t.db"}), HasSubstr("unknown column ''"));
  EXPECT_THAT(mistake({"-c", "", "t.db"}), HasSubstr("column"));
  EXPECT_EQ(mistake({"-c", "idx,op,idx", "t.db"}), "-c: column 'idx' is given twice");
  EXPECT_THAT(mistake({}), HasSubstr("no trace file given"));
  EXPECT_THAT(mistake({"--step", "x", "t.db"}), HasSubstr("--step"));
  EXPECT_THAT(mistake({"--step", "99999999999999999999", "t.db"}), HasSubstr("--step"));
  EXPECT_THAT(mistake({"--stp", "t.db"}), HasSubstr("--stp"));
  EXPECT_THAT(mistake({"-r"}), HasSubstr("-r"));
}

TEST_F(OptionsTest, SeveralTracesShowWhoseRowItIs) {
  const auto options = parse({"a.db", "b.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->traces.size(), 2U);
  EXPECT_EQ(column_words(options->report->info(), options->columns),
            "trace,rank,idx,dir,layer,op,params,kernel,time_us");
  const auto summed = parse({"-r", "layers", "a.db", "b.db"});
  EXPECT_EQ(summed->columns, parse({"-r", "layers", "a.db"})->columns) << "groups are over all";
}

TEST_F(OptionsTest, AStatementTakesAReportsPlace) {
  const auto options = parse({"--sql", "SELECT 1", "-f", "csv", "t.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->sql, "SELECT 1");
  EXPECT_EQ(mistake({"--sql", "SELECT 1", "--step", "1", "t.db"}),
            "--step: does not go with --sql; express it in SQL");
  EXPECT_THAT(mistake({"--sql", "SELECT 1", "-r", "ops", "t.db"}), HasSubstr("--report"));
  EXPECT_THAT(mistake({"--sql", "SELECT 1", "-c", "op", "t.db"}), HasSubstr("--columns"));
}

TEST_F(OptionsTest, ARowWithoutAStepCannotBeChosenByOne) {
  EXPECT_EQ(mistake({"-r", "api", "--step", "1", "t.db"}), "--step: report 'api' has no steps");
  EXPECT_TRUE(parse({"-r", "gpu", "--step", "1", "t.db"}));
}

TEST_F(OptionsTest, AnswersWithoutATrace) {
  EXPECT_THAT(*parse({"--help"})->answer, HasSubstr("--step"));
  EXPECT_EQ(*parse({"--version"})->answer, "prof-report " PROF_VERSION_STRING "\n");
  const std::string all = *parse({"--list"})->answer;
  for (const auto& report : registry_.all())
    EXPECT_THAT(all, HasSubstr(std::string(report->info().help)));
  const std::string one = *parse({"--list", "-r", "ops"})->answer;
  EXPECT_THAT(one, HasSubstr("calls"));
  EXPECT_THAT(one, Not(HasSubstr("every GPU kernel")));
}

TEST_F(OptionsTest, EveryColumnCanBeChosenByItsWord) {
  for (const auto& report : registry_.all()) {
    const ReportInfo& info = report->info();
    for (std::size_t i = 0; i < info.columns.size(); ++i) {
      const auto chosen = choose_columns(info, info.columns[i].word);
      ASSERT_TRUE(chosen) << info.name << ": " << info.columns[i].word;
      EXPECT_EQ((*chosen)[0], i) << "two columns of " << info.name << " have one word";
    }
  }
}

}  // namespace
}  // namespace prof::reports
