// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of text tables: alignment, cutting, harmless texts, streaming past the sample.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/common/unicode.hpp"

namespace prof::reports {
namespace {

const std::vector<Column> kColumns = {
    {.word = "idx", .header = "Idx", .unit = "", .help = "", .align = Column::Align::kRight},
    {.word = "kernel",
     .header = "Kernel",
     .unit = "",
     .help = "",
     .shrink = Column::Shrink::kCutEnd},
    {.word = "time",
     .header = "Time",
     .unit = "us",
     .help = "",
     .align = Column::Align::kRight,
     .thousands = true},
};

std::vector<Cell> row(std::int64_t idx, std::string_view kernel, std::int64_t ns) {
  return {Cell{idx}, text(kernel), Cell{Decimal{ns, 3}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Table, AlignsAndTotals) {
  EXPECT_EQ(rendered("table", kColumns, {row(1, "gemm", 1234567), row(12, "relu_kernel", 5)},
                     {{text("total"), text(""), Cell{Decimal{1234572, 3}}}}),
            "  Idx  Kernel        Time(us)\n"
            "-----  -----------  ---------\n"
            "    1  gemm         1,234.567\n"
            "   12  relu_kernel      0.005\n"
            "-----  -----------  ---------\n"
            "total  -            1,234.572\n");
}

TEST(Table, PrintsTheHeaderOfAnEmptyReport) {
  EXPECT_EQ(rendered("table", kColumns, {}), "Idx  Kernel  Time(us)\n---  ------  --------\n");
}

TEST(Table, PrintsADashForWhatIsAbsent) {
  EXPECT_EQ(lines_of(rendered("table", kColumns, {{absent(), absent(), absent()}}))[2],
            "  -  -              -");
}

TEST(Table, CutsToAWidthAndMarksIt) {
  const std::string name = "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64";
  for (const std::string& line : lines_of(rendered("table", kColumns, {row(1, name, 1)}, {}, 40))) {
    EXPECT_LE(tools::display_width(line), 40U) << line;
  }
  EXPECT_EQ(lines_of(rendered("table", kColumns, {row(1, name, 1)}, {}, 40))[2],
            "  1 sm90_xmma_gemm_f16f16_f16f…    0.001");
}

TEST(Table, CutsTheFrontOfPaths) {
  const std::vector<Column> columns = {{.word = "layer",
                                        .header = "Layer",
                                        .unit = "",
                                        .help = "",
                                        .shrink = Column::Shrink::kCutFront}};
  EXPECT_EQ(lines_of(rendered("table", columns, {{text("encoder:layer_11:fc1")}}, {}, 12))[2],
            "…ayer_11:fc1");
}

TEST(Table, CutsWideCharactersWhole) {
  const std::string name = "日本日本日本日本日本日本日本日本";
  for (std::size_t width = 20; width < 50; ++width) {
    for (const std::string& line :
         lines_of(rendered("table", kColumns, {row(1, name, 1)}, {}, width))) {
      EXPECT_LE(tools::display_width(line), std::max<std::size_t>(width, 21)) << line;
    }
  }
}

TEST(Table, CutsNothingWithoutAWidth) {
  const std::string name(500, 'k');
  EXPECT_NE(rendered("table", kColumns, {row(1, name, 1)}).find(name), std::string::npos);
}

TEST(Table, ForeignTextsStayOnTheirLine) {
  EXPECT_EQ(lines_of(rendered("table", kColumns, {row(1, "a\nb\x1b[2J\xff", 1)}))[2],
            "  1  a\\nb\\x1b[2J\uFFFD     0.001");
}

TEST(Table, RowsAfterTheSampleArePrintedAsTheyCome) {
  std::vector<std::vector<Cell>> rows;
  for (std::int64_t i = 1; i <= 2500; ++i) rows.push_back(row(i, "k", i));
  rows.push_back(row(2501, "a_much_longer_name_than_any_in_the_sample", 1234567890));
  const auto lines = lines_of(rendered("table", kColumns, rows, {row(0, "total", 1)}));
  ASSERT_EQ(lines.size(), 2U + 2501U + 2U);
  EXPECT_EQ(lines[2], "   1  k          0.001");
  EXPECT_EQ(lines[2501], "2500  k          2.500") << "past the sample, four digits do not fit";
  EXPECT_EQ(lines[2502], "2501  a_much_longer_name_than_any_in_the_sample  1,234,567.890");
}

TEST(Table, ACellThatSticksOutIsMadeGoodByTheBlanksAfterIt) {
  std::vector<std::vector<Cell>> rows(1000, row(1, "kernel", 123456789));
  rows.push_back(row(1, "kernel_xy", 5));
  const auto lines = lines_of(rendered("table", kColumns, rows));
  EXPECT_EQ(lines[1001].size(), lines[1002].size());
}

TEST(Table, StopsWhereTheOutputFails) {
  std::FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) GTEST_SKIP() << "no /dev/full here";
  tools::Output output(full);
  const auto renderer = form("table").make(output, {});
  renderer->begin(kColumns);
  std::size_t rows = 0;
  while (rows < 1000000 && renderer->row(row(1, "kernel", 1))) ++rows;
  EXPECT_LT(rows, 100000U);
  std::fclose(full);
}

}  // namespace
}  // namespace prof::reports
