// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of times as text: every width, and the borders between digits and units.
#include "tools/report/table/time_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace prof::reports {
namespace {

std::string shown(std::int64_t time_ns) {
  std::string out;
  append_time_digits(time_ns, out);
  return out;
}

TEST(TimeText, MillisecondsHaveThreeDigits) {
  EXPECT_EQ(ms_text(39'060'000), "39.1");
  EXPECT_EQ(ms_text(724'637), "0.725");
  EXPECT_EQ(ms_text(12'345), "0.0123");
  EXPECT_EQ(ms_text(2'304), "0.00230");
  EXPECT_EQ(ms_text(4'000'000), "4.00");
  EXPECT_EQ(ms_text(9'994'999), "9.99");
  EXPECT_EQ(ms_text(9'996'000), "10.0");
  EXPECT_EQ(ms_text(99'960'000), "100");
  EXPECT_EQ(ms_text(999'600'000), "1,000");
  EXPECT_EQ(ms_text(6'688'498'000'000), "6,688,498");
  EXPECT_EQ(ms_text(-724'637), "-0.725");
}

TEST(TimeText, NothingIsToldBelowANanosecond) {
  EXPECT_EQ(ms_text(0), "0");
  EXPECT_EQ(ms_text(5), "0.000005");
  EXPECT_EQ(ms_text(83), "0.000083");
  EXPECT_EQ(ms_text(608), "0.000608");
  EXPECT_EQ(ms_text(0.4), "0");
}

TEST(TimeText, EstimatesHaveTwoDigits) {
  EXPECT_EQ(estimate_text(0), "~0");
  EXPECT_EQ(estimate_text(0.7246), "~0.72");
  EXPECT_EQ(estimate_text(9.96), "~10");
  EXPECT_EQ(estimate_text(39.4), "~39");
  EXPECT_EQ(estimate_text(6'688), "~6,700");
  EXPECT_EQ(estimate_text(99'600), "~100,000");
  EXPECT_EQ(estimate_text(-12.3), "~-12");
}

TEST(TimeText, HasEveryWidthOfNvprof) {
  EXPECT_EQ(shown(0), "0ns");
  EXPECT_EQ(shown(81), "81ns");
  EXPECT_EQ(shown(608), "608ns");
  EXPECT_EQ(shown(2'656), "2.6560us");
  EXPECT_EQ(shown(26'435), "26.435us");
  EXPECT_EQ(shown(249'250), "249.25us");
  EXPECT_EQ(shown(5'448'512), "5.4485ms");
  EXPECT_EQ(shown(11'156'003), "11.156ms");
  EXPECT_EQ(shown(814'990'000), "814.99ms");
  EXPECT_EQ(shown(8'921'000'000), "8.92100s");
  EXPECT_EQ(shown(14'962'512'345), "14.9625s");
  EXPECT_EQ(shown(114'962'512'345), "114.963s");
}

TEST(TimeText, BelowAMicrosecondNothingIsScaled) {
  EXPECT_EQ(shown(999), "999ns");
  EXPECT_EQ(shown(1'000), "1.0000us");
  EXPECT_EQ(shown(1'001), "1.0010us");
}

TEST(TimeText, KeepsEveryNanosecondBelowAHundredMicroseconds) {
  EXPECT_EQ(shown(9'999), "9.9990us");
  EXPECT_EQ(shown(10'000), "10.000us");
  EXPECT_EQ(shown(99'999), "99.999us");
  EXPECT_EQ(shown(100'000), "100.00us");
}

TEST(TimeText, RoundsHalvesUp) {
  EXPECT_EQ(shown(100'004), "100.00us");
  EXPECT_EQ(shown(100'005), "100.01us");
  EXPECT_EQ(shown(1'000'049), "1.0000ms");
  EXPECT_EQ(shown(1'000'050), "1.0001ms");
  EXPECT_EQ(shown(1'000'004'999), "1.00000s");
  EXPECT_EQ(shown(1'000'005'000), "1.00001s");
}

TEST(TimeText, ARoundedUpDigitTakesADecimalAway) {
  EXPECT_EQ(shown(9'999'949), "9.9999ms");
  EXPECT_EQ(shown(9'999'950), "10.000ms");
  EXPECT_EQ(shown(99'999'499), "99.999ms");
  EXPECT_EQ(shown(99'999'500), "100.00ms");
  EXPECT_EQ(shown(9'999'994'999), "9.99999s");
  EXPECT_EQ(shown(9'999'995'000), "10.0000s");
  EXPECT_EQ(shown(99'999'949'999), "99.9999s");
  EXPECT_EQ(shown(99'999'950'000), "100.000s");
}

TEST(TimeText, AThousandOfAUnitIsOneOfTheNext) {
  EXPECT_EQ(shown(999'994), "999.99us");
  EXPECT_EQ(shown(999'995), "1.0000ms");
  EXPECT_EQ(shown(999'999), "1.0000ms");
  EXPECT_EQ(shown(999'994'999), "999.99ms");
  EXPECT_EQ(shown(999'995'000), "1.00000s");
  EXPECT_EQ(shown(999'999'500), "1.00000s");
}

TEST(TimeText, SecondsAreTheLargestUnit) {
  EXPECT_EQ(shown(999'999'499'999), "999.999s");
  EXPECT_EQ(shown(999'999'500'000), "1000.00s");
  EXPECT_EQ(shown(123'456'499'999'999), "123456s");
  EXPECT_EQ(shown(999'999'500'000'000), "1000000s");
  EXPECT_EQ(shown(1'234'567'890'000'000), "1234568s");
  EXPECT_EQ(shown(std::numeric_limits<std::int64_t>::max()), "9223372037s");
}

TEST(TimeText, KeepsTheSign) {
  EXPECT_EQ(shown(-608), "-608ns");
  EXPECT_EQ(shown(-999'995), "-1.0000ms");
  EXPECT_EQ(shown(std::numeric_limits<std::int64_t>::min()), "-9223372037s");
}

}  // namespace
}  // namespace prof::reports
