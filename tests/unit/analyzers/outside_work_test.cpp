// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of which steps span work of no step.
#include "analyzers/steps/outside_work.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

OutsideWork of_steps(const std::vector<std::int64_t>& outside_ns) {
  OutsideWork outside;
  for (const std::int64_t time_ns : outside_ns) outside.add(1'000'000 + time_ns, time_ns);
  outside.finish();
  return outside;
}

TEST(OutsideWork, IsMuchBeyondAHundredthOfAPeriod) {
  const OutsideWork outside = of_steps({0, 0, 0, 50'000, 9'000});
  EXPECT_TRUE(outside.is_much(50'000));
  EXPECT_FALSE(outside.is_much(9'000));
  EXPECT_FALSE(outside.is_much(0));
}

TEST(OutsideWork, OfEachStepBelongsToTheLoop) {
  const OutsideWork outside = of_steps({300'000, 301'000, 299'000, 400'000});
  EXPECT_FALSE(outside.is_much(301'000));
  EXPECT_TRUE(outside.is_much(400'000));
}

TEST(OutsideWork, OfTheOnlyStepIsNotMuch) {
  EXPECT_FALSE(of_steps({500'000}).is_much(500'000));
  EXPECT_FALSE(of_steps({}).is_much(500'000));
}

}  // namespace
}  // namespace prof
