// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/schema/wrapping_times.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(WrappingTimes, WhatIsStoredReadsBackEqual) {
  for (const std::int64_t start : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    for (const std::int64_t end : {INT64_MIN, std::int64_t{7}, INT64_MAX}) {
      EXPECT_EQ(wrapping_sum(start, wrapping_difference(end, start)), end);
    }
  }
}

TEST(WrappingTimes, SmallOnesAreSumsAndDifferences) {
  EXPECT_EQ(wrapping_sum(-3, 5), 2);
  EXPECT_EQ(wrapping_difference(3, 5), -2);
}

}  // namespace
}  // namespace prof
