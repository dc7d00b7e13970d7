// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of what row kinds and the reports about them say about themselves.
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "tools/report/all_reports.hpp"
#include "tools/report/builtin/row_report.hpp"
#include "tools/report/query/registry.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/sums.hpp"

namespace prof::reports {
namespace {

TEST(RowReports, EveryColumnOfAnyReportIsKnown) {
  Registry registry;
  register_reports(registry);
  ASSERT_FALSE(registry.all().empty());
  EXPECT_EQ(registry.all().front()->info().name, "kernels");
  for (const auto& report : registry.all()) {
    const ReportInfo& info = report->info();
    EXPECT_FALSE(info.table.empty()) << info.name;
    for (const auto* indices : {&info.table, &info.machine, &info.of_several, &info.keys}) {
      for (const std::size_t index : *indices) EXPECT_LT(index, info.columns.size()) << info.name;
    }
  }
}

TEST(RowReportsDeathTest, AnUnknownColumnEndsTheProgram) {
  const RowReport list{.name = "list", .help = "", .kind = kMarks, .table = "idx,txt"};
  EXPECT_DEATH(make_report(list), "txt.*list.*text");
  const RowReport rollup{
      .name = "rollup", .help = "", .kind = kKernels, .form = RowForm::kRollup, .table = "opps"};
  EXPECT_DEATH(make_report(rollup), "opps.*rollup");
}

TEST(RowReportsDeathTest, RowsThatCannotBeSummedUpHaveNoRollup) {
  const RowReport report{
      .name = "marks", .help = "", .kind = kMarks, .form = RowForm::kRollup, .table = "text"};
  EXPECT_DEATH(make_report(report), "sums");
}

TEST(RowKinds, TablesAndColumnsHaveDistinctWords) {
  std::set<std::string_view> tables;
  for (const RowKind* kind : row_kinds()) {
    const std::string_view table = kind->names.table;
    EXPECT_TRUE(tables.insert(table).second) << table;
    std::set<std::string_view> words;
    for (const Field& field : kind->fields) {
      EXPECT_TRUE(words.insert(field.column.word).second) << table << '.' << field.column.word;
      EXPECT_EQ(kind->find(field.column.word), &field);
      EXPECT_NE(field.value, nullptr);
    }
    EXPECT_EQ(kind->find("no_such_column"), nullptr);
    EXPECT_TRUE(words.contains("trace")) << table;
    // Steps of the host are found on the stack.
    EXPECT_TRUE(kind->steps != Steps::kOfHost || kind->ranges == Ranges::kOfStack) << table;
  }
}

}  // namespace
}  // namespace prof::reports
