// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of lines in order, in memory and in temporary files.
#include "tools/report/filter/line_order.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tools/report/table/owned_cells.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kOnDisk = 1;

std::string json(std::span<const Cell> cells) {
  std::string out;
  for (const Cell& cell : cells) {
    append_json(cell, out);
    append(" ", out);
  }
  return out;
}

/// The numbers of the lines, in the order of their cells.
std::string order_of(const std::vector<Cell>& cells, bool ascending, std::size_t memory_bytes) {
  LineOrder order(ascending, memory_bytes);
  std::uint64_t count = 0;
  for (const Cell& cell : cells) {
    const std::array line = {number(++count)};
    EXPECT_TRUE(order.add(cell, line).ok());
  }
  std::string numbers;
  for (auto line = order.next(); !line.empty(); line = order.next()) numbers += json(line);
  EXPECT_TRUE(order.status().ok());
  return numbers;
}

void expect_order(const std::vector<Cell>& cells, bool ascending, std::string_view expected) {
  EXPECT_EQ(order_of(cells, ascending, LineOrder::kMemoryBytes), expected);
  EXPECT_EQ(order_of(cells, ascending, kOnDisk), expected);
}

TEST(LineOrder, NumbersCompareByValueWhateverTheirType) {
  const std::vector<Cell> cells = {number(3), real(-1.5), Cell{Decimal{2500, 3}},
                                   absent(),  real(3.0),  Cell{AtLeast{1e300}},
                                   number(3), Cell{true}, signed_number(-2)};
  expect_order(cells, true, "9 2 8 3 1 5 7 6 4 ");
  expect_order(cells, false, "6 1 5 7 3 8 2 9 4 ");
}

TEST(LineOrder, LargeNumbersThatRoundToTheSameAreStillInOrder) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 62U;
  expect_order({number(kLarge + 1), number(kLarge), number(kLarge + 2)}, true, "2 1 3 ");
  expect_order({number(kLarge + 1), number(kLarge), number(kLarge + 2)}, false, "3 1 2 ");
}

TEST(LineOrder, TextsCompareByBytes) {
  const std::vector<Cell> cells = {text("a long text, b"),
                                   text("a long text, a"),
                                   text("\xc3\xa4"),
                                   text("a"),
                                   absent(),
                                   text("Z")};
  expect_order(cells, true, "6 4 2 1 3 5 ");
  expect_order(cells, false, "3 1 2 4 6 5 ");
}

TEST(LineOrder, CellsOfEveryTypeComeBackWhole) {
  const std::vector<Tensor> tensors = {{"a", Tensor::Role::kIn, DType::kFloat16, {2, 3}},
                                       {"", Tensor::Role::kOut, DType::kUnknown, {}}};
  const std::array<WordPair, 2> pairs = {{{"op", "exact"}, {"m", ""}}};
  const std::vector<Cell> line = {absent(),
                                  Cell{true},
                                  signed_number(-5),
                                  number(5),
                                  Cell{Decimal{-1, 3}},
                                  real(0.1),
                                  Cell{AtLeast{7}},
                                  text("text"),
                                  Cell{Dim3{4, 5, 6}},
                                  Cell{Shapes{tensors}},
                                  Cell{Words{pairs}},
                                  Cell{Shapes{}}};
  for (const std::size_t memory : {LineOrder::kMemoryBytes, kOnDisk}) {
    LineOrder order(true, memory);
    ASSERT_TRUE(order.add(number(1), line).ok());
    ASSERT_TRUE(order.add(number(0), line).ok());
    for (int i = 0; i < 2; ++i) EXPECT_EQ(json(order.next()), json(line));
    EXPECT_TRUE(order.next().empty());
  }
}

}  // namespace
}  // namespace prof::reports
