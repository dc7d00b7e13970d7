// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of conditions, orders and limits on a report's lines.
#include "tools/report/filter/line_filter.hpp"
#include "tools/report/all_reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

using testing::HasSubstr;

class LinesTest : public testing::Test {
 protected:
  // Work is read once.
  void fill() {
    work_ = {};
    int count = 0;
    for (const std::int64_t ns : {3000, 1500, 0, 9000, 1500}) {
      auto& item = work_.kernel("k" + std::to_string(++count), ns);
      item.op.op = ns > 2000 ? "linear" : "add";
      item.op.layer = "it's";
    }
  }

  std::string lines(LineOptions lines, std::string_view columns = "kernel,time_us",
                    std::string_view report = "kernels", std::string_view form = "csv") {
    fill();
    return reported({report, form, columns, {}, std::move(lines), {}}, trace_, work_);
  }
  static std::size_t column(std::string_view report, std::string_view word) {
    Registry registry;
    register_reports(registry);
    return choose_columns(registry.find(report)->info(), word)->front();
  }

  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(LinesTest, AConditionMayNameColumnsThatAreNotShown) {
  EXPECT_EQ(
      lines({.where = {"time_us > 1.4 AND op = 'add'"}, .sort = {}, .ascending = {}, .top = {}},
            "kernel"),
      "kernel\nk2\nk5\n");
}

TEST_F(LinesTest, AllConditionsMustHold) {
  EXPECT_EQ(lines({.where = {"time_ns >= 1500", "OP LIKE 'L%'", "layer = 'it''s'"},
                   .sort = {},
                   .ascending = {},
                   .top = {}},
                  "kernel"),
            "kernel\nk1\nk4\n");
}

TEST_F(LinesTest, TheUnknownMeetsNoCondition) {
  EXPECT_EQ(
      lines({.where = {"time_us >= 0 OR time_us < 0"}, .sort = {}, .ascending = {}, .top = {}},
            "kernel"),
      "kernel\nk1\nk2\nk4\nk5\n");
  EXPECT_EQ(lines({.where = {"time_us IS NULL"}, .sort = {}, .ascending = {}, .top = {}}, "kernel"),
            "kernel\nk3\n");
}

TEST_F(LinesTest, AWrongConditionIsRefused) {
  EXPECT_THAT(lines({.where = {"tme_us > 1"}, .sort = {}, .ascending = {}, .top = {}}),
              HasSubstr("--where: no such column: tme_us"));
  EXPECT_THAT(lines({.where = {"time_us >"}, .sort = {}, .ascending = {}, .top = {}}),
              HasSubstr("error: --where: "));
  const auto error_of = [this](std::string condition) {
    return lines({.where = {std::move(condition)}, .sort = {}, .ascending = {}, .top = {}});
  };
  for (const std::string open : {"op = 'x", "op = \"x", "[op", "`op", "'it''s"}) {
    EXPECT_THAT(error_of(open), HasSubstr(" is not closed in: " + open + "; texts stand in"))
        << open;
  }
  EXPECT_THAT(error_of("(op = 'a)'"), HasSubstr("--where: ( is not closed in: (op = 'a)'"));
  EXPECT_THAT(error_of("1) OR (1"), HasSubstr("--where: ) is not opened in: 1) OR (1"));
  EXPECT_THAT(error_of(" "), HasSubstr("--where: the condition is empty; give a condition"));
  EXPECT_THAT(error_of("abs(-9223372036854775808) > 1"),
              HasSubstr("--where: the condition failed: integer overflow"));
  EXPECT_THAT(error_of("/* x"), Not(HasSubstr("SELECT")));
  EXPECT_THAT(lines({.where = {"1) FROM x --"}, .sort = {}, .ascending = {}, .top = {}}),
              HasSubstr("error: --where: "));
}

TEST_F(LinesTest, LargestFirstTheUnknownLastEqualOnesInTheirOrder) {
  const std::size_t time = column("kernels", "time_us");
  EXPECT_EQ(lines({.where = {}, .sort = time, .ascending = false, .top = {}}, "kernel"),
            "kernel\nk4\nk1\nk2\nk5\nk3\n");
  EXPECT_EQ(lines({.where = {}, .sort = time, .ascending = true, .top = {}}, "kernel"),
            "kernel\nk2\nk5\nk1\nk4\nk3\n");
  EXPECT_EQ(lines({.where = {}, .sort = column("kernels", "op"), .ascending = true, .top = {}},
                  "kernel,op"),
            "kernel,op\nk2,add\nk3,add\nk5,add\nk1,linear\nk4,linear\n");
}

TEST_F(LinesTest, ALimitCountsLinesInTheirOrder) {
  EXPECT_EQ(lines({.where = {}, .sort = {}, .ascending = {}, .top = 2}, "kernel"),
            "kernel\nk1\nk2\n");
  const std::size_t time = column("kernels", "time_us");
  EXPECT_EQ(lines({.where = {}, .sort = time, .ascending = false, .top = 3}, "kernel,op"),
            "kernel,op\nk4,linear\nk1,linear\nk2,add\n");
}

TEST_F(LinesTest, AConditionIsOnOneLinesColumns) {
  // SQLite would give each of these a value: a line's own, a text, or that of an aggregate of one.
  for (const char* condition :
       {"time_us >= $LIMIT", "op = ?1", "op = :op", "op = @op", "\"tme_us\" > 100", "op = [linear]",
        "time_us > (SELECT 1)", "time_ns = max(time_ns)", "row_number() over () < 3"}) {
    EXPECT_THAT(lines({.where = {condition}, .sort = {}, .ascending = {}, .top = {}}),
                HasSubstr("--where"))
        << condition;
  }
  const std::string named = lines(
      {.where = {"\"op\" = 'linear' and layer <> '$1:?@'"}, .sort = {}, .ascending = {}, .top = {}},
      "kernel");
  EXPECT_EQ(named, "kernel\nk1\nk4\n");
}

TEST_F(LinesTest, ATotalIsOfAllLines) {
  const std::string table =
      lines({.where = {}, .sort = {}, .ascending = {}, .top = 1}, "op,kernels", "ops", "table");
  EXPECT_THAT(table, HasSubstr("linear        2"));
  EXPECT_THAT(table, HasSubstr("total         5"));
  EXPECT_EQ(table.find("add"), std::string::npos);
}

TEST_F(LinesTest, KeptLinesOwnWhatTheyShow) {
  // Cells of every type: texts, numbers, lists and objects outlive their rows.
  const std::size_t idx = column("kernels", "idx");
  const std::string streamed = lines({}, "kernel,grid,inputs,provenance,idx", "kernels", "json");
  const std::string kept = lines({.where = {}, .sort = idx, .ascending = true, .top = {}},
                                 "kernel,grid,inputs,provenance,idx", "kernels", "json");
  EXPECT_EQ(streamed, kept);
}

}  // namespace
}  // namespace prof::reports
