// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of numbers and structures as text.
#include "tools/report/table/value_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>

namespace prof::reports {
namespace {

std::string eyes(const Cell& cell, std::uint8_t decimals = 0) {
  std::string out;
  const Column column{
      .word = "", .header = "", .unit = "", .help = "", .thousands = true, .decimals = decimals};
  append_value(cell, column, NumberStyle::kForEyes, out);
  return out;
}

std::string exact(const Cell& cell) {
  std::string out;
  append_value(cell, {}, NumberStyle::kExact, out);
  return out;
}

Cell whole(std::int64_t value) { return Cell{value}; }

TEST(ValueText, GroupsThousandsForEyes) {
  EXPECT_EQ(eyes(whole(0)), "0");
  EXPECT_EQ(eyes(whole(999)), "999");
  EXPECT_EQ(eyes(whole(1000)), "1,000");
  EXPECT_EQ(eyes(whole(-123456)), "-123,456");
  EXPECT_EQ(eyes(whole(1234567890)), "1,234,567,890");
  EXPECT_EQ(eyes(Cell{std::numeric_limits<std::uint64_t>::max()}), "18,446,744,073,709,551,615");
  EXPECT_EQ(eyes(Cell{1234567.25}, 2), "1,234,567.25");
  EXPECT_EQ(eyes(Cell{AtLeast{1234.0}}), "≥1,234");
}

TEST(ValueText, KeepsEveryNanosecond) {
  EXPECT_EQ(eyes(Cell{Decimal{1234567, 3}}), "1,234.567");
  EXPECT_EQ(exact(Cell{Decimal{1234567, 3}}), "1234.567");
  EXPECT_EQ(exact(Cell{Decimal{5, 3}}), "0.005");
  EXPECT_EQ(exact(Cell{Decimal{-1500, 3}}), "-1.500");
  EXPECT_EQ(exact(Cell{Decimal{7, 0}}), "7");
  EXPECT_EQ(exact(Cell{Decimal{std::numeric_limits<std::int64_t>::min(), 3}}),
            "-9223372036854775.808");
}

TEST(ValueText, RealsReadBackAsTheSameNumber) {
  for (const double value : {0.0, 1.0, 436207616.0, 9.0e15, 0.1, 1e-9, 1.7e308, 1e21, -2.5}) {
    EXPECT_EQ(std::stod(exact(Cell{value})), value);
  }
  EXPECT_EQ(exact(Cell{436207616.0}), "436207616") << "no point, no exponent";
  EXPECT_EQ(exact(Cell{0.25}), "0.25");
}

TEST(ValueText, DoesNotFallForWhatIsNoNumber) {
  EXPECT_EQ(eyes(Cell{std::nan("")}, 2), "nan");
  EXPECT_EQ(eyes(Cell{std::numeric_limits<double>::infinity()}, 2), "inf");
  EXPECT_EQ(eyes(Cell{1e300}, 0).substr(0, 7), "1,000,0");
}

TEST(ValueText, SpellsStructuresAsParametersAreSpelt) {
  const std::vector<Tensor> tensors = {{.name = "x", .shape = {32768, 13}},
                                       {.name = "s", .shape = {}}};
  EXPECT_EQ(exact(Cell{Shapes{tensors}}), "(32768,13),()");
  const std::vector<Tensor> many(148, tensors[0]);
  EXPECT_EQ(eyes(Cell{Shapes{many}}), "[148 tensors, 63.0 M elements]");
  EXPECT_EQ(exact(Cell{Shapes{many}}).size(), 148 * 10 + 147U);
  EXPECT_EQ(exact(Cell{Dim3{1, 2, 3}}), "1,2,3");
  const WordPair words[] = {{"layer", "exact"}, {"op", "none"}};
  EXPECT_EQ(exact(Cell{Words{words}}), "layer=exact,op=none");
  EXPECT_EQ(exact(Cell{true}), "1");
}

TEST(ValueText, DoesNotAskTheLocale) {
  // German has ',' for the decimal point, where it is installed.
  const char* old = std::setlocale(LC_ALL, nullptr);
  const std::string saved(old);
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(eyes(Cell{1234.5}, 1), "1,234.5");
  std::setlocale(LC_ALL, saved.c_str());
}

TEST(ScaledTimes, HaveTheUnitThatSuits) {
  const Column column = Column::integer("t", "T", "", "").styled(Column::Style::kScaledTime);
  const auto shown = [&](std::int64_t ns, NumberStyle style = NumberStyle::kForEyes) {
    std::string out;
    append_value(signed_number(ns), column, style, out);
    return out;
  };
  EXPECT_EQ(shown(0), "0.000us");
  EXPECT_EQ(shown(999'999), "999.999us");
  EXPECT_EQ(shown(1'000'000), "1.000ms");
  EXPECT_EQ(shown(3'916'000'000), "3.916s");
  EXPECT_EQ(shown(-2'500), "-2.500us");
  EXPECT_EQ(shown(2'500, NumberStyle::kExact), "2500");
}

TEST(Shares, HaveTheirSign) {
  const Column column = Column::real("p", "P", "", "", 2).styled(Column::Style::kPercent);
  std::string out;
  append_value(real(47.172), column, NumberStyle::kForEyes, out);
  EXPECT_EQ(out, "47.17%");
  out.clear();
  append_value(absent(), column, NumberStyle::kForEyes, out);
  EXPECT_EQ(out.size(), 0U);
}

}  // namespace
}  // namespace prof::reports
