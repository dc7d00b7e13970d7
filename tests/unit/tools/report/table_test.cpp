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

const std::vector<Column> kIndexedColumns = {
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

std::vector<Cell> indexed_row(std::int64_t idx, std::string_view kernel, std::int64_t ns) {
  return {Cell{idx}, text(kernel), Cell{Decimal{ns, 3}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Table, AlignsAndTotals) {
  EXPECT_EQ(rendered("table", kIndexedColumns,
                     {indexed_row(1, "gemm", 1234567), indexed_row(12, "relu_kernel", 5)},
                     {{text("total"), text(""), Cell{Decimal{1234572, 3}}}}),
            "  Idx  Kernel        Time(us)\n"
            "-----  -----------  ---------\n"
            "    1  gemm         1,234.567\n"
            "   12  relu_kernel      0.005\n"
            "-----  -----------  ---------\n"
            "total  -            1,234.572\n");
}

TEST(Table, SentencesGoOnBelow) {
  const std::vector<Column> columns = {
      Column::text("what", "What", "").wrap(6),
      Column::integer("count", "Count", "", ""),
      Column::text("why", "Why", "").wrap(10),
  };
  const std::vector<std::vector<Cell>> rows = {
      {text("two words"), Cell{std::int64_t{7}}, text("the host had not launched it")},
      {text("a_name_without_blanks"), Cell{std::int64_t{8}}, text("short")},
  };
  EXPECT_EQ(rendered("table", columns, rows, {}, {.width = 30}),
            "What         Count Why\n"
            "------------ ----- -----------\n"
            "two words        7 the host\n"
            "                   had not\n"
            "                   launched it\n"
            "a_name_w…nks     8 short\n"
            "names are cut at …; pipe to less -S to see all\n");
}

TEST(Table, PrintsTheHeaderOfAnEmptyReport) {
  EXPECT_EQ(rendered("table", kIndexedColumns, {}),
            "Idx  Kernel  Time(us)\n---  ------  --------\n");
}

TEST(Table, PrintsADashForWhatIsAbsent) {
  EXPECT_EQ(lines_of(rendered("table", kIndexedColumns, {{absent(), absent(), absent()}}))[2],
            "  -  -              -");
}

TEST(Table, PointsStandBelowEachOther) {
  const std::vector<Column> columns = {Column::time("time_ns", "Time", "", Column::Type::kReal),
                                       Column::instant("start_ns", "Start", ""),
                                       Column::real("pct", "Share", "%", "", 1)};
  EXPECT_EQ(rendered("table", columns,
                     {{real(1312.0), signed_number(1'234'567'890), estimate(61.5)},
                      {real(39.06e6), signed_number(5), real(4.04)},
                      {absent(), absent(), absent()},
                      {Cell{AtLeast{6.688e9}}, signed_number(1'000'000), real(100.0)}}),
            "    Time(ms)     Start(ms)  Share(%)\n"
            "------------  ------------  --------\n"
            "     0.00131  1,234.567890     ~62\n"
            "    39.1          0.000005       4.0\n"
            "           -             -         -\n"
            "≥6,688            1.000000     100.0\n");
}

TEST(Table, ListsOfTensorsAreShort) {
  const std::vector<Column> columns = {
      Column::text("params", "Params", "").styled(Column::Style::kTensors)};
  std::string list = "T=[(3)";
  for (int i = 0; i < 500; ++i) list += ",(64,3,7,7)";
  const std::vector<std::vector<Cell>> rows = {{text(list += "]")}};
  EXPECT_EQ(lines_of(rendered("table", columns, rows))[2], "T=[501 tensors, 4.70 M elements]");
  EXPECT_EQ(lines_of(rendered("markdown", columns, rows))[2],
            "| T=\\[501 tensors, 4.70 M elements] |");
  EXPECT_EQ(lines_of(rendered("csv", columns, rows))[1], "\"" + list + "\"");
}

TEST(Table, CutsToAWidthAndMarksIt) {
  const std::string name = "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64";
  const auto lines =
      lines_of(rendered("table", kIndexedColumns, {indexed_row(1, name, 1)}, {}, {.width = 40}));
  ASSERT_EQ(lines.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(tools::display_width(lines[i]), 40U) << lines[i];
  EXPECT_EQ(lines[2], "  1 sm90_xmma_gemm_f16f…x128x64    0.001");
  EXPECT_EQ(lines[3], "names are cut at …; pipe to less -S to see all");
}

TEST(Table, KeepsTheEndsOfPaths) {
  const std::vector<Column> columns = {Column::text("layer", "Layer", "").cut_front(5)};
  EXPECT_EQ(
      lines_of(rendered("table", columns, {{text("encoder:layer_11:fc1")}}, {}, {.width = 12}))[2],
      "encoder…:fc1");
}

const std::vector<Column> kDroppable = {
    Column::text("op", "Op", "").cut_end(6),
    Column::integer("calls", "Calls", "", "").drop(1),
    Column::real("mb", "Data", "MB", "", 0).drop(2),
};
const std::vector<std::vector<Cell>> kDroppableRows = {
    {text("linear_relu"), number(12), real(345.0)}};

TEST(Table, NamesTheColumnsThatItDrops) {
  EXPECT_EQ(rendered("table", kDroppable, kDroppableRows, {}, {.width = 13}),
            "Op      Calls\n"
            "------- -----\n"
            "line…lu    12\n"
            "not shown: mb; names are cut at …; pipe to less -S to see all\n");
  EXPECT_EQ(lines_of(rendered("table", kDroppable, kDroppableRows, {}, {.width = 8})).back(),
            "not shown: calls, mb; names are cut at …; pipe to less -S to see all");
}

TEST(Table, DropsNothingThatTheUserChose) {
  EXPECT_EQ(rendered("table", kDroppable, kDroppableRows, {}, {.width = 8, .keep_columns = true}),
            "Op     Calls Data(MB)\n"
            "------ ----- --------\n"
            "line…u    12      345\n"
            "names are cut at …; pipe to less -S to see all\n");
}

TEST(Table, HeadersTakeTwoLinesWhereOneIsTooWide) {
  const std::vector<Column> columns = {
      Column::integer("total_ns", "Total Time (ns)", "", ""), Column::text("note", "Note", ""),
      Column::text("name", "Name of it", "").cut_end(10), Column::integer("n", "Num", "", "")};
  const std::vector<std::vector<Cell>> rows = {
      {number(1234567), text("a long note"), text("a_name_of_15_cs"), number(1)}};
  EXPECT_EQ(rendered("table", columns, rows, {}, {.width = 60}),
            "Total Time (ns)  Note         Name of it       Num\n"
            "---------------  -----------  ---------------  ---\n"
            "        1234567  a long note  a_name_of_15_cs    1\n")
      << "one line if all fits";
  EXPECT_EQ(rendered("table", columns, rows, {}, {.width = 43}),
            "    Total\n"
            "Time (ns) Note        Name of it      Num\n"
            "--------- ----------- --------------- ---\n"
            "  1234567 a long note a_name_of_15_cs   1\n");
}

TEST(Table, DropsNothingWithoutAWidth) {
  EXPECT_EQ(rendered("table", kDroppable, kDroppableRows),
            "Op           Calls  Data(MB)\n"
            "-----------  -----  --------\n"
            "linear_relu     12       345\n");
}

TEST(Table, DropsColumnsAlsoOfRowsPastTheSampleAndOfTotals) {
  std::vector<std::vector<Cell>> rows(1500, kDroppableRows[0]);
  const auto lines = lines_of(
      rendered("table", kDroppable, rows, {{text("total"), number(99), real(1.0)}}, {.width = 13}));
  ASSERT_EQ(lines.size(), 2U + 1500U + 2U + 1U);
  EXPECT_EQ(lines[1501], "line…lu    12");
  EXPECT_EQ(lines[1503], "total      99");
}

TEST(Table, NoLineEndsInABlank) {
  const std::vector<Column> columns = {Column::integer("calls", "Calls", "", ""),
                                       Column::text("op", "Op", "").cut_end(4),
                                       Column::text("part", "Part", "").cut_end(4)};
  const std::vector<std::vector<Cell>> rows = {{number(1), text("linear "), text("data")},
                                               {number(2), text("relu"), text("   ")}};
  const Cell empty{std::in_place_type<std::string_view>, ""};
  for (const RenderOptions& options :
       {RenderOptions{}, RenderOptions{.width = 80}, RenderOptions{.width = 15},
        RenderOptions{.width = 80, .styles = tools::Styles::ansi()}}) {
    const std::string text = rendered("table", columns, rows, {{number(3), empty, empty}}, options);
    EXPECT_EQ(text.find(" \n"), std::string::npos) << text;
    EXPECT_EQ(text.find(" \x1b"), std::string::npos) << text;
  }
}

TEST(Table, EmphasizesHeaderAndTotalsWithoutChangingWidths) {
  const auto styled = rendered("table", kIndexedColumns, {indexed_row(1, "gemm", 1234567)},
                               {indexed_row(2, "total", 1)}, {.styles = tools::Styles::ansi()});
  const auto plain = lines_of(rendered("table", kIndexedColumns, {indexed_row(1, "gemm", 1234567)},
                                       {indexed_row(2, "total", 1)}));
  const auto lines = lines_of(styled);
  ASSERT_EQ(lines.size(), plain.size());
  EXPECT_EQ(lines[0], "\x1b[1m" + plain[0] + "\x1b[0m");
  EXPECT_EQ(lines[1], plain[1]);
  EXPECT_EQ(lines[2], plain[2]);
  EXPECT_EQ(lines[4], "\x1b[1m" + plain[4] + "\x1b[0m");
}

TEST(Table, CutsWideCharactersWhole) {
  const std::string name = "日本日本日本日本日本日本日本日本";
  for (std::size_t width = 20; width < 50; ++width) {
    const auto lines = lines_of(
        rendered("table", kIndexedColumns, {indexed_row(1, name, 1)}, {}, {.width = width}));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(tools::display_width(lines[i]), std::max<std::size_t>(width, 21)) << lines[i];
    }
  }
}

TEST(Table, CutsNothingWithoutAWidth) {
  const std::string name(500, 'k');
  EXPECT_NE(rendered("table", kIndexedColumns, {indexed_row(1, name, 1)}).find(name),
            std::string::npos);
}

TEST(Table, ForeignTextsStayOnTheirLine) {
  EXPECT_EQ(lines_of(rendered("table", kIndexedColumns, {indexed_row(1, "a\nb\x1b[2J\xff", 1)}))[2],
            "  1  a\\nb\\x1b[2J\uFFFD     0.001");
}

TEST(Table, NoNameOfAColumnReachesTheTerminalAsItIs) {
  const std::string_view name = "a\x1b[2J\xff";
  const auto column = [name](Column::Place place) {
    return Column::text(name, name, "").drop(1).placed(place);
  };
  const std::vector<Column> columns = {Column::text("op", "Op", ""), column(Column::Place::kCell),
                                       column(Column::Place::kBelow)};
  const std::vector<std::vector<Cell>> rows = {{text("relu"), text("b"), text("c")}};
  EXPECT_EQ(rendered("table", columns, rows),
            "Op    a\\x1b[2J\uFFFD\n"
            "----  ---------\n"
            "relu  b\n"
            "  a\\x1b[2J\uFFFD: c\n");
  EXPECT_EQ(lines_of(rendered("table", columns, rows, {}, {.width = 8})).back(),
            "not shown: a\\x1b[2J\uFFFD; pipe to less -S to see all");
}

TEST(Table, RowsAfterTheSampleArePrintedAsTheyCome) {
  std::vector<std::vector<Cell>> rows;
  for (std::int64_t i = 1; i <= 2500; ++i) rows.push_back(indexed_row(i, "k", i));
  rows.push_back(indexed_row(2501, "a_much_longer_name_than_any_in_the_sample", 1234567890));
  const auto lines =
      lines_of(rendered("table", kIndexedColumns, rows, {indexed_row(0, "total", 1)}));
  ASSERT_EQ(lines.size(), 2U + 2501U + 2U);
  EXPECT_EQ(lines[2], "   1  k          0.001");
  EXPECT_EQ(lines[2501], "2500  k          2.500") << "past the sample, four digits do not fit";
  EXPECT_EQ(lines[2502], "2501  a_much_longer_name_than_any_in_the_sample  1,234,567.890");
}

TEST(Table, ACellThatSticksOutIsMadeGoodByTheBlanksAfterIt) {
  std::vector<std::vector<Cell>> rows(1000, indexed_row(1, "kernel", 123456789));
  rows.push_back(indexed_row(1, "kernel_xy", 5));
  const auto lines = lines_of(rendered("table", kIndexedColumns, rows));
  EXPECT_EQ(lines[1001].size(), lines[1002].size());
}

TEST(Table, StopsWhereTheOutputFails) {
  std::FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) GTEST_SKIP() << "no /dev/full here";
  tools::Output output(full);
  const auto renderer = form("table").make(output, {});
  renderer->begin(kIndexedColumns);
  std::size_t rows = 0;
  while (rows < 1000000 && renderer->row(indexed_row(1, "kernel", 1))) ++rows;
  EXPECT_LT(rows, 100000U);
  std::fclose(full);
}

}  // namespace
}  // namespace prof::reports
