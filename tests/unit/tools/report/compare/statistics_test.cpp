// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the statistics of comparisons against published tables, and against counting every case.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "tools/report/compare/blocks.hpp"
#include "tools/report/compare/mann_whitney.hpp"
#include "tools/report/compare/p_values.hpp"
#include "tools/report/compare/spread.hpp"

namespace prof::reports {
namespace {

using Values = std::vector<double>;

/// Two sides of `n` values without ties, of which `u` pairs have the first one larger.
std::pair<Values, Values> with_u(int n, int u) {
  Values a, b;
  for (int i = 0; i < n; ++i) b.push_back(i);
  for (int i = 0; i < n; ++i) {
    const int below = std::min(u, n);  // of b
    a.push_back(below - 0.5 + 0.01 * i);
    u -= below;
  }
  return {a, b};
}

double p_of(int n, int u) {
  const auto [a, b] = with_u(n, u);
  return MannWhitney().p_value(a, b);
}

// The tables of critical values of U, two-sided, that textbooks print.
TEST(MannWhitneyTest, HasTheCriticalValuesOfTheTables) {
  struct Row {
    int n, at_5_percent, at_1_percent;
  };
  for (const Row row : {Row{5, 2, 0}, Row{6, 5, 2}, Row{7, 8, 4}, Row{8, 13, 7}, Row{9, 17, 11},
                        Row{10, 23, 16}, Row{12, 37, 27}, Row{15, 64, 51}, Row{20, 127, 105}}) {
    EXPECT_LE(p_of(row.n, row.at_5_percent), 0.05) << row.n;
    EXPECT_GT(p_of(row.n, row.at_5_percent + 1), 0.05) << row.n;
    if (2 * static_cast<std::size_t>(row.n) > MannWhitney::kExact) continue;
    EXPECT_LE(p_of(row.n, row.at_1_percent), 0.01) << row.n;
    EXPECT_GT(p_of(row.n, row.at_1_percent + 1), 0.01) << row.n;
  }
}

/// Twice the sum of a's ranks less its mean, by comparing each pair.
double distance_of(const Values& a, const Values& b) {
  double u = 0;
  for (const double x : a) {
    for (const double y : b) u += x > y ? 1 : x == y ? 0.5 : 0;
  }
  return std::abs(u - static_cast<double>(a.size() * b.size()) / 2);
}

/// Deals all values to two sides in every way.
double p_by_counting(const Values& a, const Values& b) {
  Values all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::vector<int> to_a(all.size());
  std::fill_n(to_a.end() - static_cast<std::ptrdiff_t>(a.size()), a.size(), 1);
  const double distance = distance_of(a, b);
  double as_far = 0, ways = 0;
  do {
    Values left, right;
    for (std::size_t i = 0; i < all.size(); ++i) (to_a[i] == 1 ? left : right).push_back(all[i]);
    as_far += distance_of(left, right) >= distance ? 1 : 0;
    ++ways;
  } while (std::next_permutation(to_a.begin(), to_a.end()));
  return as_far / ways;
}

TEST(MannWhitneyTest, CountsEveryCaseWithTiesToo) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const int range = round % 2 == 0 ? 4 : 1000;  // ties, or hardly any
    std::uniform_int_distribution<int> value(0, range), size(1, 6);
    const auto drawn = [&] {
      Values values(static_cast<std::size_t>(size(random)));
      std::ranges::generate(values, [&] { return value(random); });
      return values;
    };
    const Values a = drawn(), b = drawn();
    EXPECT_NEAR(MannWhitney().p_value(a, b), p_by_counting(a, b), 1e-12) << round;
  }
}

TEST(MannWhitneyTest, ApproximatesManyValues) {
  // (200 - 100 - 0.5) / sqrt(20 * 20 * 41 / 12) = 2.69148 deviations.
  EXPECT_NEAR(p_of(20, 100), 0.0071140, 1e-6);
  const Values same(40, 3.0);
  EXPECT_EQ(MannWhitney().p_value(same, same), 1);
  EXPECT_EQ(MannWhitney().p_value({}, same), 1);
  EXPECT_NEAR(MannWhitney().smallest(5, 5), 2.0 / 252, 1e-12);
  EXPECT_NEAR(MannWhitney().smallest(9, 9), 2.0 / 48620, 1e-15);
}

TEST(MannWhitneyTest, FindsAsManyFalseDifferencesAsItSays) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  MannWhitney test;
  for (const std::size_t n : {8U, 40U}) {
    int found = 0;
    for (int round = 0; round < 4000; ++round) {
      Values a(n), b(n);
      for (Values* const side : {&a, &b})
        std::ranges::generate(*side, [&] { return normal(random); });
      found += test.p_value(a, b) <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(found, 4000 * 0.06);
    EXPECT_GE(found, 4000 * 0.03);
  }
}

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
