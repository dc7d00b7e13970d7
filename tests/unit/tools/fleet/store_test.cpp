// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What prof-fleet and its engines tell each other: rows, answers, statements, messages.
#include "tools/fleet/store/store.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tools/fleet/questions/question.hpp"
#include "tools/fleet/store/row_binary.hpp"
#include "tools/fleet/store/tab_separated.hpp"

namespace prof::fleet {
namespace {

using reports::Column;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string bytes_of(const reports::Cell& cell, std::string_view type) {
  RowBinary rows;
  rows.add_cell(cell, type);
  return rows.bytes();
}

TEST(FleetRowBinary, TextsHaveTheirLengthBeforeThem) {
  for (const std::size_t size : {0U, 1U, 127U, 128U, 16'383U, 16'384U}) {
    RowBinary rows;
    rows.add_text(std::string(size, 'x'));
    const std::size_t digits = size < 128 ? 1U : size < 16'384 ? 2U : 3U;
    ASSERT_EQ(rows.bytes().size(), size + digits);
    std::size_t length = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const auto byte = static_cast<unsigned char>(rows.bytes()[i]);
      EXPECT_EQ((byte & 0x80U) != 0, i + 1 < digits);
      length |= (byte & 0x7fU) << (7U * i);
    }
    EXPECT_EQ(length, size);
  }
}

TEST(FleetRowBinary, NumbersMayBeAbsent) {
  using namespace std::string_literals;
  EXPECT_EQ(bytes_of(reports::absent(), "Nullable(Int64)"), "\1"s);
  EXPECT_EQ(bytes_of(reports::signed_number(-2), "Nullable(Int64)"),
            "\0\xfe\xff\xff\xff\xff\xff\xff\xff"s);
  EXPECT_EQ(bytes_of(reports::real(1e300), "Nullable(Int64)"), "\1"s) << "no integer has it";
  EXPECT_EQ(bytes_of(reports::Cell{reports::Decimal{1'500, 3}}, "Nullable(Float64)"),
            bytes_of(reports::real(1.5), "Nullable(Float64)"));
  EXPECT_EQ(bytes_of(reports::absent(), "String"), "\0"s);
  EXPECT_EQ(bytes_of(reports::text(std::string_view("a\0b", 3)), "String"), "\3a\0b"s);
}

TEST(FleetAnswers, AreTheSameInAnyPieces) {
  const std::string answer =
      "name\tn\tx\nString\tNullable(UInt64)\tFloat64\na\\tb\\n\\\\\t7\t1.5\n\t\\N\t-2\n";
  for (std::size_t size = 1; size <= answer.size(); ++size) {
    std::vector<std::string> cells;
    TabSeparated rows([&](std::span<const TabCell> row) {
      for (const TabCell& cell : row) cells.push_back(cell.is_null ? "NULL" : cell.text);
      return true;
    });
    for (std::size_t at = 0; at < answer.size(); at += size) {
      ASSERT_TRUE(rows.add(std::string_view(answer).substr(at, size)));
    }
    EXPECT_THAT(cells, ElementsAre("a\tb\n\\", "7", "1.5", "", "NULL", "-2"));
    ASSERT_EQ(rows.columns().size(), 3U);
    EXPECT_EQ(rows.columns()[1].type, Column::Type::kInteger);
    EXPECT_EQ(rows.columns()[2].type, Column::Type::kReal);
    EXPECT_TRUE(rows.is_whole());
  }
  TabSeparated cut([](std::span<const TabCell>) { return true; });
  ASSERT_TRUE(cut.add(answer.substr(0, answer.size() - 1)));
  EXPECT_FALSE(cut.is_whole());
}

TEST(FleetStatements, NameTheRowsThatCount) {
  const std::string sql = expand("SELECT * FROM {facts} WHERE x = {a} AND y = '{nothing}' {",
                                 "prof", {.all = {"run = '{steps}'"}}, {{"a", "'{added}'"}});
  EXPECT_THAT(sql, HasSubstr("FROM `prof`.`facts` WHERE run = '{steps}' AND attempt GLOBAL IN"));
  EXPECT_THAT(sql, HasSubstr("x = '{added}' AND y = '{nothing}' {"));
  EXPECT_THAT(sql, Not(HasSubstr("`steps`"))) << "a user's words are no marks";
  EXPECT_THAT(expand("{collectives}", "other", {}, {}),
              HasSubstr("`other`.`added` WHERE is_run = 1"));
  const Conditions of_op{.all = {}, .runs = {}, .facts = {"op = 'mm'"}};
  EXPECT_THAT(expand("{facts}", "prof", of_op, {}), HasSubstr("op = 'mm'"));
  EXPECT_THAT(expand("{all facts}", "prof", of_op, {}), Not(HasSubstr("op = 'mm'")));
}

TEST(FleetStatements, PartsStandForTheirStatements) {
  for (const auto& question : questions().all()) {
    const std::string sql = statement_in(*question);
    EXPECT_THAT(sql, Not(HasSubstr("--"))) << question->info().name;
    EXPECT_EQ(sql.find("SELECT"), 0U) << question->info().name;
  }
  const std::string regress = statement_in(*questions().find("regress"));
  EXPECT_THAT(regress, Not(HasSubstr("{lines}")));
  EXPECT_THAT(regress, HasSubstr("{facts}"));
  EXPECT_TRUE(decides(*questions().find("regress")));
  EXPECT_FALSE(decides(*questions().find("spread")));
}

TEST(FleetStatements, EachTableHasTheColumnsOfItsReport) {
  EXPECT_EQ(fleet_tables().front().name, kAdded);
  for (const FleetTable& table : fleet_tables()) {
    EXPECT_FALSE(table.help.empty()) << table.name;
    if (table.report == nullptr) continue;
    EXPECT_EQ(table.columns.size(), row_keys().size() + table.cells.size()) << table.name;
    EXPECT_GT(table.cells.size(), 3U) << table.name;
  }
}

TEST(FleetMessages, AreOneLine) {
  EXPECT_EQ(
      one_line("Code: 60. DB::Exception: Table x does not exist. (UNKNOWN_TABLE) (version 26.5)"),
      "Table x does not exist. (UNKNOWN_TABLE)");
  EXPECT_EQ(one_line("Code: 62, e.displayText() = DB::Exception: Syntax error: a\nb, e.what() = "
                     "DB::Exception\n"),
            "Syntax error: a b");
  EXPECT_EQ(one_line("Code: 209, e.displayText() = DB::NetException: Timeout, e.what() = x"),
            "Timeout");
  EXPECT_EQ(one_line(""), "");
}

}  // namespace
}  // namespace prof::fleet
