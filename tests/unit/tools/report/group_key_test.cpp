// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/builtin/group_key.hpp"

#include <gtest/gtest.h>

#include <array>

namespace prof::reports {
namespace {

using namespace std::string_view_literals;

std::string packed_key(std::initializer_list<Cell> cells) {
  std::string key;
  for (const Cell& cell : cells) append_key(cell, key);
  return key;
}

Cell bytes(std::string_view text) { return Cell{std::in_place_type<std::string_view>, text}; }

TEST(GroupKey, KeysHaveTheOrderOfTheirCells) {
  EXPECT_LT(packed_key({absent()}), packed_key({signed_number(-5)}));
  EXPECT_LT(packed_key({signed_number(-5)}), packed_key({signed_number(-1)}));
  EXPECT_LT(packed_key({signed_number(-1)}), packed_key({signed_number(300)}));
  EXPECT_LT(packed_key({number(255)}), packed_key({number(256)}));
  EXPECT_LT(packed_key({real(-2.5)}), packed_key({real(-2.0)}));
  EXPECT_LT(packed_key({real(9.0)}), packed_key({real(10.0)}));
  EXPECT_LT(packed_key({Cell{Decimal{9500, 3}}}), packed_key({Cell{Decimal{10'000, 3}}}));
  EXPECT_LT(packed_key({bytes("a")}), packed_key({bytes("aa")}));
  EXPECT_LT(packed_key({bytes("a"), bytes("z")}), packed_key({bytes("aa"), bytes("a")}));
  EXPECT_LT(packed_key({bytes("b")}), packed_key({bytes("\xc3\xa4")}));
  EXPECT_LT(packed_key({bytes("a\0"sv)}), packed_key({bytes("a\x01"sv)}));
  EXPECT_LT(packed_key({bytes("a")}), packed_key({bytes("a\0"sv)}));
}

TEST(GroupKey, DifferentCellsHaveDifferentKeys) {
  EXPECT_NE(packed_key({bytes("ab"), bytes("c")}), packed_key({bytes("a"), bytes("bc")}));
  EXPECT_NE(packed_key({bytes("a\0\0b"sv), bytes("c")}),
            packed_key({bytes("a"), bytes("b\0\0c"sv)}));
  EXPECT_NE(packed_key({bytes("")}), packed_key({absent()}));
  EXPECT_NE(packed_key({number(1)}), packed_key({signed_number(1)}));
  // They round to the same floating-point number.
  constexpr std::int64_t kLarge = std::int64_t{1} << 62U;
  EXPECT_NE(packed_key({Cell{Decimal{kLarge, 3}}}), packed_key({Cell{Decimal{kLarge + 1, 3}}}));
  EXPECT_NE(packed_key({Cell{Dim3{1, 2, 3}}}), packed_key({Cell{Dim3{12, 3, 1}}}));
}

}  // namespace
}  // namespace prof::reports
