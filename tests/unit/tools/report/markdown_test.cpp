// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of Markdown tables and of notes: foreign texts stay in their cells and paragraphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/report/table/note_text.hpp"

namespace prof::reports {
namespace {

const std::vector<Column> kKernelColumns = {Column::text("kernel", "Kernel", "").cut_end(4),
                                            Column::real("time_us", "Time", "us", "", 1).grouped()};

std::string cell_of(std::string_view kernel) {
  const std::string all = rendered("markdown", kKernelColumns, {{text(kernel), real(1.0)}});
  const std::size_t begin = all.rfind("\n| ", all.size() - 2) + 3;
  return all.substr(begin, all.rfind(" | 1.0 |\n") - begin);
}

TEST(Markdown, AlignsNumbersAndEmphasizesTotals) {
  const Cell empty{std::in_place_type<std::string_view>, ""};
  EXPECT_EQ(
      rendered("markdown", kKernelColumns, {{text("gemm"), real(1234.56)}, {absent(), absent()}},
               {{text("total"), real(1234.56)}, {empty, real(0.0)}}),
      "| Kernel | Time(us) |\n"
      "| --- | ---: |\n"
      "| gemm | 1,234.6 |\n"
      "| - | - |\n"
      "| **total** | **1,234.6** |\n"
      "| | **0.0** |\n");
}

TEST(Markdown, KeepsTheDepthInATree) {
  EXPECT_EQ(cell_of("  attn_*"), "&nbsp;&nbsp;attn\\_\\*");
  EXPECT_EQ(cell_of("  "), "&nbsp;&nbsp;");
  EXPECT_EQ(cell_of("&nbsp;x"), "\\&nbsp;x") << "no name makes blanks";
}

TEST(Markdown, CutsAndDropsNothing) {
  const std::string name(300, 'k');
  EXPECT_EQ(rendered("markdown", kKernelColumns, {{text(name), real(1.0)}}, {}, {.width = 20}),
            "| Kernel | Time(us) |\n| --- | ---: |\n| " + name + " | 1.0 |\n");
}

TEST(Markdown, TextsCannotEndTheirCell) {
  EXPECT_EQ(cell_of("a|b"), "a\\|b");
  EXPECT_EQ(cell_of("a\\|b"), "a\\\\\\|b") << "a backslash escapes no bar";
  EXPECT_EQ(cell_of("a\nb\r\tc"), "a\\\\nb\\\\r\\\\tc");
  EXPECT_EQ(cell_of("`code"), "\\`code");
  EXPECT_EQ(cell_of("\x1b[2J\xff"), "\\\\x1b\\[2J\uFFFD");
}

TEST(Markdown, TextsAreShownAsTheyAre) {
  EXPECT_EQ(cell_of("f<int*, &g>"), "f\\<int\\*, \\&g\\>");
  EXPECT_EQ(cell_of("_scatter_gather__kernel_"), "\\_scatter_gather\\_\\_kernel\\_");
  EXPECT_EQ(cell_of("$_0 ~x~ [y](z)"), "\\$\\_0 \\~x\\~ \\[y](z)");
}

TEST(Markdown, RowsAreLinesWithTheSameNumberOfCells) {
  std::string bytes;
  for (int c = 1; c < 256; ++c) bytes += static_cast<char>(c);
  std::istringstream lines(rendered("markdown", kKernelColumns, {{text(bytes), real(1.0)}}));
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '|') {
        ++bars;
      }
    }
    EXPECT_EQ(bars, 3U) << line;
  }
  EXPECT_EQ(rows, 3U);
}

const Notes kNotes = {{"trace: a_b_.db", "shown: 3 kernels"}, {"1 kernel <odd>\nname"}};

std::string notes_in(Form form, const tools::Styles& styles) {
  return output_of([&](tools::Output& output) { write_notes(kNotes, form, styles, {}, output); });
}

TEST(Notes, AreWrapped) {
  const auto text = output_of([](tools::Output& output) {
    write_notes({{"a note of words"}, {"and a warning"}}, Form::kTable, {}, 12, output);
  });
  EXPECT_EQ(text, "\na note of\n  words\nwarning: and\n  a warning\n");
}

TEST(Notes, AreLinesBelowATable) {
  EXPECT_EQ(notes_in(Form::kTable, {}),
            "\ntrace: a_b_.db\nshown: 3 kernels\nwarning: 1 kernel <odd>\\nname\n");
}

TEST(Notes, StandBackOnATerminalAndWarningsDoNot) {
  EXPECT_EQ(notes_in(Form::kTable, tools::Styles::ansi()),
            "\n\x1b[2mtrace: a_b_.db\x1b[0m\n\x1b[2mshown: 3 kernels\x1b[0m\n"
            "\x1b[33mwarning:\x1b[0m 1 kernel <odd>\\nname\n");
}

TEST(Notes, AreParagraphsInMarkdown) {
  EXPECT_EQ(notes_in(Form::kMarkdown, {}),
            "\ntrace: a_b\\_.db\n\nshown: 3 kernels\n\nwarning: 1 kernel \\<odd\\>\\\\nname\n");
  EXPECT_EQ(notes_in(Form::kMarkdown, tools::Styles::ansi()), notes_in(Form::kMarkdown, {}));
}

}  // namespace
}  // namespace prof::reports
