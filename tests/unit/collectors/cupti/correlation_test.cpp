// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/correlation.hpp"

#include <gtest/gtest.h>

namespace prof::collectors {
namespace {

constexpr std::uint64_t kWrap = std::uint64_t{1} << 32;

TEST(CorrelationWidener, SmallIdsOfTheFirstSessionStayAsTheyAre) {
  CorrelationWidener widener;
  widener.start_session(0);
  EXPECT_EQ(widener.widen(0), 0U);
  EXPECT_EQ(widener.widen(7), 7U);
  EXPECT_EQ(widener.widen(9), 9U);
  EXPECT_EQ(widener.widen(8), 8U);
}

TEST(CorrelationWidener, CountsWrapsAndStillKnowsIdsFromBefore) {
  CorrelationWidener widener;
  widener.start_session(0);
  EXPECT_EQ(widener.widen(0xfffffff0U), 0xfffffff0U);
  EXPECT_EQ(widener.widen(5), kWrap + 5);
  EXPECT_EQ(widener.widen(0xfffffff8U), 0xfffffff8U);  // A record that comes late.
  EXPECT_EQ(widener.widen(0x7fffffffU), kWrap + 0x7fffffffU);
  EXPECT_EQ(widener.widen(0xfffffff0U), kWrap + 0xfffffff0U);
  EXPECT_EQ(widener.widen(1), 2 * kWrap + 1);
}

TEST(CorrelationWidener, SessionsNeverMeetEvenIfIdsStartAgain) {
  CorrelationWidener widener;
  widener.start_session(0);
  const Correlation first = widener.widen(5);
  widener.start_session(1);
  const Correlation second = widener.widen(5);
  EXPECT_EQ(second, (std::uint64_t{1} << 48) + 5);
  EXPECT_LT(first, second);
  widener.start_session(2);
  EXPECT_EQ(widener.widen(0xf0000000U), (std::uint64_t{2} << 48) + 0xf0000000U);
  EXPECT_EQ(widener.widen(0xe0000000U), (std::uint64_t{2} << 48) + 0xe0000000U);
}

}  // namespace
}  // namespace prof::collectors
