// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the distribution of durations, against values worked out by hand.
#include "tools/report/rows/durations.hpp"

#include <gtest/gtest.h>

namespace prof::reports {
namespace {

Durations durations_of(std::initializer_list<std::int64_t> values, bool keep = true) {
  Durations durations;
  if (keep) durations.keep_values();
  for (const std::int64_t value : values) durations.add(value);
  return durations;
}

double real_in(const Cell& cell) { return std::get<double>(cell); }

TEST(Durations, QuantilesAreBetweenNeighborsInProportion) {
  const Durations durations = durations_of({4000, 1000, 3000, 2000});
  EXPECT_DOUBLE_EQ(real_in(durations.quantile_ns(0.5)), 2500);
  EXPECT_DOUBLE_EQ(real_in(durations.quantile_ns(0.95)), 3850);  // 3000 + 0.85 of the way to 4000
  EXPECT_DOUBLE_EQ(real_in(durations.quantile_ns(0)), 1000);
  EXPECT_DOUBLE_EQ(real_in(durations.quantile_ns(1)), 4000);
  EXPECT_DOUBLE_EQ(real_in(durations_of({7000}).quantile_ns(0.95)), 7000);
}

TEST(Durations, TheDeviationIsTheSamples) {
  EXPECT_DOUBLE_EQ(
      real_in(durations_of({2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000}).stddev_ns()),
      2138.0899352993952);
  EXPECT_DOUBLE_EQ(real_in(durations_of({5}).stddev_ns()), 0.0);
  // Large times that differ a little keep their deviation.
  EXPECT_DOUBLE_EQ(
      real_in(durations_of({1'000'000'000'000'001, 1'000'000'000'000'003}).stddev_ns()),
      1.4142135623730951);
}

TEST(Durations, WithoutDurationsAllIsUnknown) {
  const Durations none = durations_of({});
  for (const Cell& cell : {none.min_ns(), none.max_ns(), none.quantile_ns(0.5), none.stddev_ns()}) {
    EXPECT_TRUE(std::holds_alternative<Absent>(cell));
  }
}

TEST(Durations, MergedOnesAreThoseOfBoth) {
  Durations durations = durations_of({1000, 9000});
  durations.merge(durations_of({2000}));
  EXPECT_EQ(durations.count(), 3U);
  EXPECT_DOUBLE_EQ(real_in(durations.quantile_ns(0.5)), 2000);
  EXPECT_EQ(std::get<std::int64_t>(durations.max_ns()), 9000);
}

}  // namespace
}  // namespace prof::reports
