// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the arithmetic of column widths.
#include "tools/report/render/table_layout.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace prof::reports {
namespace {

using Widths = std::vector<std::size_t>;

const std::vector<ColumnNeed> kNeeds = {
    {.natural = 4, .preferred = 4, .least = 4, .may_shrink = false},
    {.natural = 7, .preferred = 9, .least = 5, .may_shrink = true},
    {.natural = 300, .preferred = 20, .least = 8, .may_shrink = true},
    {.natural = 90, .preferred = 12, .least = 8, .may_shrink = true}};

std::size_t line_width(const TableLayout& layout) {
  return std::accumulate(layout.widths.begin(), layout.widths.end(),
                         layout.gap * (layout.widths.size() - 1));
}

TEST(TableLayout, GivesWhatIsNeededWhereThereIsRoom) {
  EXPECT_EQ(fit_columns(kNeeds, 1000).widths, (Widths{4, 7, 300, 90}));
}

TEST(TableLayout, SharesWhatThereIsAndFillsTheLine) {
  const TableLayout layout = fit_columns(kNeeds, 100);
  EXPECT_EQ(layout.gap, 1U) << "gaps are narrowed before texts are cut";
  EXPECT_EQ(line_width(layout), 100U);
  EXPECT_EQ(layout.widths, (Widths{4, 7, 43, 43})) << "the short column keeps its width";
}

TEST(TableLayout, GivesTheWholeRestToTheOneThatNeedsIt) {
  const TableLayout layout = fit_columns(kNeeds, 200);
  EXPECT_EQ(layout.widths, (Widths{4, 7, 96, 90}));
}

TEST(TableLayout, KeepsPreferredWidthsAsLongAsItCan) {
  EXPECT_EQ(fit_columns(kNeeds, 46).widths, (Widths{4, 7, 20, 12}));
  EXPECT_EQ(fit_columns(kNeeds, 47).widths, (Widths{4, 7, 20, 13}));
  EXPECT_EQ(line_width(fit_columns(kNeeds, 40)), 40U);
  EXPECT_EQ(fit_columns(kNeeds, 10).widths, (Widths{4, 5, 8, 8})) << "never below the least";
}

TEST(TableLayout, WithoutATerminalOneLongTextDoesNotWidenAll) {
  EXPECT_EQ(fit_columns(kNeeds, std::nullopt).widths, (Widths{4, 7, 120, 90}));
}

TEST(TableLayout, TakesNoColumns) { EXPECT_TRUE(fit_columns({}, 80).widths.empty()); }

}  // namespace
}  // namespace prof::reports
