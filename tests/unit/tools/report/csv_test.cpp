// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of CSV: RFC 4180's quoting, bytes kept.
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

const std::vector<Column> kTwo = {{.word = "name", .header = "Name", .unit = "", .help = ""},
                                  {.word = "n", .header = "N", .unit = "us", .help = ""}};

TEST(Csv, HasAHeaderOfWordsAndNoTotals) {
  EXPECT_EQ(rendered("csv", kTwo, {{text("a"), Cell{std::int64_t{1}}}},
                     {{text("total"), Cell{std::int64_t{1}}}}),
            "name,n\na,1\n");
  EXPECT_EQ(rendered("csv", kTwo, {}), "name,n\n");
}

TEST(Csv, AColumnMayHaveAHeaderOfItsOwn) {
  std::vector<Column> columns = kTwo;
  columns[1].csv = "Total Time (ns), all";
  EXPECT_EQ(rendered("csv", columns, {}), "name,\"Total Time (ns), all\"\n");
}

TEST(Csv, QuotesWhatWouldBreakARow) {
  EXPECT_EQ(rendered("csv", kTwo, {{text("f<int, float>"), absent()}}),
            "name,n\n\"f<int, float>\",\n");
  EXPECT_EQ(rendered("csv", kTwo, {{text("say \"hi\""), absent()}}),
            "name,n\n\"say \"\"hi\"\"\",\n");
  EXPECT_EQ(rendered("csv", kTwo, {{text("two\nlines\r"), absent()}}),
            "name,n\n\"two\nlines\r\",\n");
  EXPECT_EQ(rendered("csv", kTwo, {{text("a"), Cell{Dim3{1, 2, 3}}}}), "name,n\na,\"1,2,3\"\n");
}

TEST(Csv, KeepsBytesAndDigits) {
  EXPECT_EQ(rendered("csv", kTwo, {{text("\xff\x1b"), Cell{Decimal{1234567, 3}}}}),
            "name,n\n\xff\x1b,1234.567\n");
}

TEST(Csv, IsEscapedOnATerminal) {
  EXPECT_EQ(rendered("csv", {Column::text("a\x1b[2J", "a", "")}, {{text("\x1b]0;x\a, y")}}, {},
                     {.width = 80}),
            "a\\x1b[2J\n\"\\x1b]0;x\\x07, y\"\n");
}

}  // namespace
}  // namespace prof::reports
