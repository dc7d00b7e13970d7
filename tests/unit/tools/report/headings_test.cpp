// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of columns that stand above their rows or once for several (Column::Place), in every form.
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

using Place = Column::Place;

const std::vector<Column> kHeadedColumns = {
    Column::text("thread", "Thread", "").placed(Place::kHeading),
    Column::text("range", "Range", "").placed(Place::kHeading),
    Column::text("type", "Type", "").right().wide(6).placed(Place::kLabel),
    Column::integer("time_ns", "Time", "", "").styled(Column::Style::kTimeDigits),
    Column::text("name", "Name", "").cut_end(4),
};

std::vector<Cell> headed_row(std::string_view thread, std::string_view range, std::string_view type,
                             std::int64_t time_ns, std::string_view name) {
  return {text(thread), text(range), text(type), Cell{time_ns}, text(name)};
}

const std::vector<std::vector<Cell>> kHeadedRows = {
    headed_row("Thread 1", "", "GPU", 2656, "gemm"),
    headed_row("Thread 1", "", "GPU", 608, "relu"),
    headed_row("Thread 1", "", "API", 1000, "launch"),
    headed_row("Thread 1", "  Range a", "API", 999, "set"),
    headed_row("Thread 1", "  Range a", "API", 5, "set"),
    headed_row("Thread 2", "  Range a", "API", 7, "set"),
};

TEST(Headings, StandAboveTheirRowsInATable) {
  EXPECT_EQ(rendered("table", kHeadedColumns, kHeadedRows),
            "Thread 1\n"
            "  Type      Time  Name\n"
            "  GPU:  2.6560us  gemm\n"
            "           608ns  relu\n"
            "  API:  1.0000us  launch\n"
            "\n"
            "  Range a\n"
            "  Type      Time  Name\n"
            "  API:     999ns  set\n"
            "             5ns  set\n"
            "\n"
            "Thread 2\n"
            "  Range a\n"
            "  Type      Time  Name\n"
            "  API:       7ns  set\n");
}

const std::vector<Column> kWithBelow = {
    Column::text("what", "What", "").cut_end(4),
    Column::text("show", "Show", "").placed(Place::kBelow),
    Column::integer("count", "Count", "", ""),
};

TEST(LinesBelow, AreWholeOnNarrowTerminalsAndAbsentWithoutText) {
  const std::vector<std::vector<Cell>> rows = {
      {text("fuse attention"), text("-r kernels --step 4"), number(3)},
      {text("pad"), absent(), number(12)}};
  EXPECT_EQ(
      rendered("table", kWithBelow, rows, {{text("all"), absent(), number(15)}}, {.width = 12}),
      "What   Count\n"
      "------ -----\n"
      "fuse…n     3\n"
      "  Show: -r kernels --step 4\n"
      "pad       12\n"
      "------ -----\n"
      "all       15\n"
      "names are cut at …; pipe to less -S to see all\n");
  EXPECT_EQ(rendered("csv", kWithBelow, rows).substr(0, 16), "what,show,count\n");
  EXPECT_EQ(rendered("markdown", kWithBelow, rows).substr(0, 24), "| What | Show | Count |\n");
}

TEST(LinesBelow, AreColumnsIfThereAreNoOthers) {
  EXPECT_EQ(rendered("table", {kWithBelow[1]}, {{text("-r ops")}}), "Show\n------\n-r ops\n");
}

TEST(Headings, AreNoColumnsOfTheLayout) {
  const std::string narrow = rendered("table", kHeadedColumns, kHeadedRows, {}, {.width = 20});
  EXPECT_EQ(narrow.substr(0, narrow.find("608")),
            "Thread 1\n"
            "  Type     Time Name\n"
            "  GPU: 2.6560us gemm\n"
            "          ");
  EXPECT_EQ(narrow.find("not shown"), std::string::npos);
  std::vector<Column> columns = kHeadedColumns;
  columns[3] = columns[3].drop(1);
  const std::string narrower = rendered("table", columns, kHeadedRows, {}, {.width = 12});
  EXPECT_NE(narrower.find("not shown: time_ns;"), std::string::npos) << narrower;
}

TEST(Headings, AreCutToTheTerminal) {
  const std::string narrow =
      rendered("table", kHeadedColumns,
               {headed_row("Thread of a very long name", "", "API", 7, "set")}, {}, {.width = 20});
  EXPECT_EQ(narrow.substr(0, narrow.find('\n')), "Thread of a v…g name");
}

TEST(Headings, KeepTheirOrderPastTheSample) {
  std::vector<std::vector<Cell>> rows;
  for (int i = 0; i < 1500; ++i) rows.push_back(headed_row("Thread 1", "", "API", 1, "launch"));
  rows.push_back(headed_row("Thread 2", "", "API", 1, "launch"));
  const std::string table = rendered("table", kHeadedColumns, rows);
  EXPECT_EQ(table.substr(table.find("\n\n")),
            "\n\n"
            "Thread 2\n"
            "  Type  Time  Name\n"
            "  API:   1ns  launch\n");
  EXPECT_EQ(table.find("API:", table.find("API:") + 1), table.rfind("API:"));
}

TEST(Headings, ATableWithoutRowsHasItsHeader) {
  EXPECT_EQ(rendered("table", kHeadedColumns, {}), "  Type  Time  Name\n");
}

TEST(Headings, AreEscaped) {
  const std::string table =
      rendered("table", kHeadedColumns, {headed_row("Thread \x1b[1m", "", "API", 7, "set")});
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

TEST(Headings, AreParagraphsInMarkdown) {
  EXPECT_EQ(rendered("markdown", kHeadedColumns, {kHeadedRows[0], kHeadedRows[1], kHeadedRows[3]}),
            "Thread 1\n"
            "\n"
            "| Type | Time | Name |\n"
            "| ---: | ---: | --- |\n"
            "| GPU: | 2.6560us | gemm |\n"
            "| | 608ns | relu |\n"
            "\n"
            "Range a\n"
            "\n"
            "| Type | Time | Name |\n"
            "| ---: | ---: | --- |\n"
            "| API: | 999ns | set |\n");
}

TEST(Headings, AreColumnsForPrograms) {
  EXPECT_EQ(rendered("csv", kHeadedColumns, {kHeadedRows[1], kHeadedRows[4]}),
            "thread,range,type,time_ns,name\n"
            "Thread 1,,GPU,608,relu\n"
            "Thread 1,  Range a,API,5,set\n");
}

}  // namespace
}  // namespace prof::reports
