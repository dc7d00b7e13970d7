// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/detach_budget.hpp"

#include <gtest/gtest.h>

namespace prof::collectors {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// How often it may be detached in an hour of windows, one every `period_ns`.
int in_an_hour(std::int64_t period_ns) {
  DetachBudget budget;
  int detached = 0;
  for (std::int64_t now = kSecond; now < 3600 * kSecond; now += period_ns) {
    if (budget.take(now)) ++detached;
  }
  return detached;
}

TEST(DetachBudget, AFewWindowsAreAllDetachedFrom) {
  EXPECT_EQ(in_an_hour(15 * kSecond), 240);
  EXPECT_EQ(in_an_hour(600 * kSecond), 6);
}

TEST(DetachBudget, OfManyNearlyNone) {
  // The first 256 take 25.6 s, and of the others one every ten minutes.
  EXPECT_EQ(in_an_hour(kSecond / 10), DetachBudget::kAtOnce + 5);
}

}  // namespace
}  // namespace prof::collectors
