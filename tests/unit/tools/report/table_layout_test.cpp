// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the arithmetic of column widths.
#include "tools/report/table/table_layout.hpp"

#include <gtest/gtest.h>

namespace prof::reports {
namespace {

using Widths = std::vector<std::size_t>;
using Shown = std::vector<bool>;

const std::vector<ColumnNeed> kNeeds = {
    {.natural = 4, .least = 4, .may_shrink = false, .drop_rank = 2},
    {.natural = 7, .least = 9, .may_shrink = true},
    {.natural = 300, .least = 20, .may_shrink = true, .drop_rank = 1},
    {.natural = 90, .least = 12, .may_shrink = true, .drop_rank = 2}};

std::size_t line_width(const TableLayout& layout) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < layout.widths.size(); ++i) {
    if (layout.shown[i]) width += layout.widths[i] + (width > 0 ? layout.gap : 0);
  }
  return width;
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

TEST(TableLayout, ShrinksToTheLeastWidthsBeforeItDrops) {
  const TableLayout layout = fit_columns(kNeeds, 46);
  EXPECT_EQ(layout.widths, (Widths{4, 7, 20, 12}));
  EXPECT_EQ(layout.shown, (Shown{true, true, true, true}));
  EXPECT_EQ(fit_columns(kNeeds, 47).widths, (Widths{4, 7, 20, 13}));
}

TEST(TableLayout, DropsTheHighestRankFirstAndOfEqualRanksTheLast) {
  EXPECT_EQ(fit_columns(kNeeds, 45).shown, (Shown{true, true, true, false}));
  EXPECT_EQ(fit_columns(kNeeds, 33).shown, (Shown{true, true, true, false}));
  EXPECT_EQ(fit_columns(kNeeds, 32).shown, (Shown{false, true, true, false}));
  EXPECT_EQ(fit_columns(kNeeds, 27).shown, (Shown{false, true, false, false}));
  EXPECT_EQ(fit_columns(kNeeds, 1).shown, (Shown{false, true, false, false}));
}

TEST(TableLayout, WhatIsDroppedMakesRoomForTheRest) {
  EXPECT_EQ(fit_columns(kNeeds, 45).widths[2], 32U);
}

TEST(TableLayout, ColumnsThatMayNotBeDroppedExceedTheTerminal) {
  std::vector<ColumnNeed> needs = kNeeds;
  for (ColumnNeed& need : needs) need.drop_rank = 0;
  const TableLayout layout = fit_columns(needs, 10);
  EXPECT_EQ(layout.shown, (Shown{true, true, true, true}));
  EXPECT_EQ(layout.widths, (Widths{4, 7, 20, 12}));
}

TEST(TableLayout, DropsMinorColumnsBeforeTextsGetNarrow) {
  const std::vector<ColumnNeed> needs = {
      {.natural = 60, .least = 10, .may_shrink = true},
      {.natural = 5, .least = 5, .may_shrink = false, .drop_rank = 5},
      {.natural = 5, .least = 5, .may_shrink = false, .drop_rank = 6}};
  EXPECT_EQ(fit_columns(needs, 32).shown, (Shown{true, true, true}));
  EXPECT_EQ(fit_columns(needs, 31).shown, (Shown{true, true, false}));
  EXPECT_EQ(fit_columns(needs, 31).widths[0], 25U);
  EXPECT_EQ(fit_columns(needs, 16).shown, (Shown{true, true, false}));
  EXPECT_EQ(fit_columns(needs, 15).shown, (Shown{true, false, false}));
}

TEST(TableLayout, NothingExceedsWhatFits) {
  for (std::size_t width = 27; width < 400; ++width) {
    EXPECT_LE(line_width(fit_columns(kNeeds, width)), width);
  }
}

TEST(TableLayout, WithoutATerminalOneLongTextDoesNotWidenAll) {
  EXPECT_EQ(fit_columns(kNeeds, std::nullopt).widths, (Widths{4, 7, 120, 90}));
}

TEST(TableLayout, TakesNoColumns) { EXPECT_TRUE(fit_columns({}, 80).widths.empty()); }

}  // namespace
}  // namespace prof::reports
