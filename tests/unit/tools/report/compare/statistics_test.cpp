// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the statistics of comparisons against published tables, and against counting every case.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "tools/report/compare/blocks.hpp"
#include "tools/report/compare/p_values.hpp"
#include "tools/report/compare/period_test.hpp"
#include "tools/report/compare/spread.hpp"
#include "tools/report/compare/step_variance.hpp"

namespace prof::reports {
namespace {

using Values = std::vector<double>;

TEST(HolmTest, CorrectsInOrderOfTheValues) {
  const Values corrected = holm(Values{0.01, 0.04, 0.03, 0.005});
  const Values expected = {0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(corrected[i], expected[i], 1e-12);
  EXPECT_EQ(holm(Values{0.6, 0.7}), (Values{1, 1}));
  EXPECT_TRUE(holm(Values{}).empty());
}

TEST(BlocksTest, OfFewStepsEachIsItsOwn) {
  EXPECT_EQ(block_length(5), 1U);
  EXPECT_EQ(block_length(23), 1U);
  EXPECT_EQ(block_length(24), 2U);
  EXPECT_EQ(block_length(1000), 10U);
  EXPECT_EQ(block_count(25), 12U);
  EXPECT_EQ(block_means(Values{1, 2, 3}), (Values{1, 2, 3}));
  Values steps(25);
  std::iota(steps.begin(), steps.end(), 0.0);
  const Values means = block_means(steps);
  EXPECT_EQ(means.size(), 12U);
  EXPECT_EQ(means.front(), 0.5);
  EXPECT_EQ(means.back(), 23.0) << "the last block has what is left";
}

// Critical values of t that textbooks print, in four digits.
TEST(StudentTTest, HasTheCriticalValuesOfTheTables) {
  struct Row {
    double freedom, at_5_percent, at_1_percent, at_a_tenth;
  };
  for (const Row row :
       {Row{1, 12.706, 63.657, 636.62}, Row{2, 4.303, 9.925, 31.599}, Row{5, 2.571, 4.032, 6.869},
        Row{8, 2.306, 3.355, 5.041}, Row{16, 2.120, 2.921, 4.015}, Row{30, 2.042, 2.750, 3.646},
        Row{120, 1.980, 2.617, 3.373}}) {
    EXPECT_NEAR(p_of_t(row.at_5_percent, row.freedom), 0.05, 0.0001) << row.freedom;
    EXPECT_NEAR(p_of_t(row.at_1_percent, row.freedom), 0.01, 0.00002) << row.freedom;
    EXPECT_NEAR(p_of_t(-row.at_a_tenth, row.freedom), 0.001, 0.000002) << row.freedom;
  }
}

// With 1 and 2 degrees of freedom there are closed forms: 1 - 2/pi atan(t), 1 - t / sqrt(2 + t^2).
TEST(StudentTTest, IsExact) {
  EXPECT_EQ(p_of_t(0, 5), 1);
  for (const double t : {0.01, 0.5, 2.0, 30.0}) {
    EXPECT_NEAR(p_of_t(t, 1), 1 - 2 / std::numbers::pi * std::atan(t), 1e-13);
    EXPECT_NEAR(p_of_t(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-13);
  }
  EXPECT_NEAR(p_of_t(2, 1.7), 0.205490113, 1e-9) << "a fraction of a degree";
  EXPECT_NEAR(p_of_t(1.96, 1e7), std::erfc(1.96 / std::numbers::sqrt2), 1e-7);
  EXPECT_GT(p_of_t(30, 200), 0) << "far out, where few digits are left";
}

/// Times of `steps` steps, whose logarithms vary by `spread` around that of `ns`.
Values varying_steps(std::mt19937& random, std::size_t steps, double ns, double spread) {
  std::normal_distribution<double> normal;
  Values made(steps);
  std::ranges::generate(made, [&] { return ns * std::exp(spread * normal(random)); });
  return made;
}

TEST(StepVarianceTest, IsItsOwnAndThatOfGroupsAsLong) {
  std::mt19937 random(5);
  std::vector<StepSpread> groups;
  for (int i = 0; i < 400; ++i) {
    const bool is_long = i >= 200;
    StepSpread& group = groups.emplace_back();
    group.log_ns = std::log(is_long ? 1e6 : 3e3) + i * 1e-4;
    group.add(varying_steps(random, 4, 1e4, is_long ? 0.01 : 0.1));
  }
  groups.back().squares = 3 * 0.3 * 0.3;  // with a freedom of 3: one that varies for itself
  const Values variances = moderated_variances(groups);
  double of_short = 0, of_long = 0;
  for (std::size_t i = 0; i < 199; ++i) {
    of_short += variances[i] / 199;
    of_long += variances[200 + i] / 199;
    EXPECT_GT(variances[i], 0.001) << "no group has none by chance";
  }
  EXPECT_NEAR(std::sqrt(of_short), 0.1, 0.01);
  EXPECT_NEAR(std::sqrt(of_long), 0.01, 0.001);
  EXPECT_NEAR(std::sqrt(variances.back()), 0.3 * std::sqrt(0.5), 0.01);
  EXPECT_EQ(moderated_variances(std::vector<StepSpread>(2)), (Values{0, 0}));
}

/// In how many of 1,000 pairs of captures of one program the period differs by 1 %, "beyond
/// chance".
int false_periods(std::size_t captures, std::size_t steps, double spread) {
  std::mt19937 random(6);
  std::normal_distribution<double> of_captures(0, 0.005);
  int found = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<Values> made;
    for (std::size_t i = 0; i < 2 * captures; ++i) {
      made.push_back(varying_steps(random, steps, 1e7 * std::exp(of_captures(random)), spread));
    }
    std::array<PeriodTest::Captures, 2> sides;
    for (std::size_t i = 0; i < made.size(); ++i) sides[i % 2].emplace_back(made[i]);
    const PeriodTest test(sides[0], sides[1]);
    found += test.p_value() <= 0.05 && std::abs(std::expm1(test.change())) >= 0.01 ? 1 : 0;
  }
  return found;
}

TEST(PeriodTestTest, FindsAsManyFalseChangesAsItSays) {
  for (const std::size_t steps : {2U, 3U, 4U, 6U, 20U, 40U}) {
    for (const double spread : {0.005, 0.01, 0.05}) {
      EXPECT_LE(false_periods(1, steps, spread), 65) << steps << ", " << spread;
      EXPECT_LE(false_periods(3, steps, spread), 50) << steps << ", " << spread;
    }
  }
}

TEST(PeriodTestTest, TellsALargeChangeOfFewSteps) {
  const Values base = {19.8e6, 20.1e6, 20.0e6, 20.2e6}, slower = {24.5e6, 24.1e6, 24.4e6, 24.2e6};
  const PeriodTest test({base}, {slower});
  EXPECT_NEAR(std::expm1(test.change()), 24.3 / 20.05 - 1, 1e-6);
  EXPECT_LT(test.p_value(), 1e-4);
  EXPECT_LT(test.p_value(std::log(1.05)), 0.001) << "more than 5 % longer";
  EXPECT_GT(test.p_value(std::log(1.2)), 0.05) << "20 or 22 %";
  EXPECT_LT(test.change() - test.reach(0.05), std::log(1.21));
  EXPECT_GT(test.change() - test.reach(0.05), std::log(1.17));
  const Values two = {20.0e6, 20.2e6}, two_slower = {24.2e6, 24.4e6};
  EXPECT_LT(PeriodTest({two}, {two_slower}).p_value(std::log(1.05)), 0.05);
}

TEST(PeriodTestTest, SaysHowManyStepsWouldDo) {
  const Values one = {1e7}, noisy = {1e7, 1.3e7, 0.9e7}, also = {1.2e7, 1e7, 1.5e7};
  const PeriodTest of_one({one}, {noisy});
  EXPECT_FALSE(of_one.is_decided());
  EXPECT_EQ(of_one.p_value(), 1);
  EXPECT_EQ(of_one.steps_needed_from(0, 0.05), 2U);
  const PeriodTest of_noisy({noisy}, {also});
  EXPECT_GT(of_noisy.p_value(), 0.05);
  const std::size_t needed = of_noisy.steps_needed_from(0, 0.05);
  EXPECT_GT(needed, 3U);
  EXPECT_LT(needed, 100U);
  const Values quiet(20, 1e7), half_percent(20, 1.005e7);
  EXPECT_EQ(PeriodTest({quiet}, {half_percent}).steps_needed_from(0, 0.05), 0U)
      << "captures of one program differ by as much";
}

TEST(SpreadTest, FindsTheVarianceThatIsMissing) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<Difference> some(2001);
  for (Difference& one : some) one = {.value = normal(random) * 0.05, .variance = 0.0009};
  EXPECT_NEAR(std::sqrt(extra_variance(some)), 0.04, 0.003);
  for (std::size_t i = 0; i < 200; ++i) some[i].value += 1;
  EXPECT_NEAR(std::sqrt(extra_variance(some)), 0.04, 0.012) << "real differences hardly count";
  for (Difference& one : some) one.variance = 1;
  EXPECT_EQ(extra_variance(some), 0);
  EXPECT_EQ(extra_variance({}), 0);
  const std::vector<Difference> equal(9, Difference{});
  EXPECT_EQ(extra_variance(equal), 0);
}

}  // namespace
}  // namespace prof::reports
