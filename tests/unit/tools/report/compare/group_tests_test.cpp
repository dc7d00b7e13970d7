// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Made-up captures, whose truth is known: how often does a comparison find what is not there, and
// does it find what is? The seeds are fixed.
#include "tools/report/compare/group_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tools/report/compare/p_values.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kGroups = 60;

struct Program {
  std::size_t base = 1, fresh = 1;  // captures
  std::size_t steps = 30;
  double of_captures = 0.005;  // how much a capture differs in each group
  double of_steps = 0.01;
  double likeness = 0.7;  // of a step with the one before
  double shift = 0.02;    // of the new side
  double first = 0;       // change of the first group
};

using Series = std::vector<double>;

class MadeUpCaptures {
 public:
  MadeUpCaptures(const Program& program, unsigned seed) : random_(seed) {
    std::uniform_real_distribution<double> size(std::log(2e3), std::log(1e6));
    times_.resize(kGroups * (program.base + program.fresh));
    auto at = times_.begin();
    for (std::size_t group = 0; group < kGroups; ++group) {
      const double log_ns = size(random_);
      MatchedTimes& to = groups_.emplace_back();
      for (std::size_t i = 0; i < program.base + program.fresh; ++i) {
        const bool is_new = i >= program.base;
        const double change = group == 0 ? std::log1p(program.first) : 0;
        *at = series(log_ns + (is_new ? program.shift + change : 0), program);
        (is_new ? to.fresh : to.base).emplace_back(*at++);
      }
    }
  }

  /// The groups whose times changed, at the level of 5 %.
  [[nodiscard]] std::vector<std::size_t> changed(bool if_large) {
    const auto tests = test_groups(groups_, common_shift(groups_, std::nullopt), steps_test_);
    std::vector<double> p_values;
    for (const GroupTest& test : tests) p_values.push_back(test.p_value);
    const std::vector<double> corrected = holm(p_values);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (corrected[i] <= 0.05 && (tests[i].is_large || !if_large)) found.push_back(i);
    }
    return found;
  }

 private:
  Series series(double log_ns, const Program& program) {
    const double own = normal_(random_) * program.of_captures;
    double noise = normal_(random_);
    Series made;
    for (std::size_t i = 0; i < program.steps; ++i) {
      noise = program.likeness * noise +
              std::sqrt(1 - program.likeness * program.likeness) * normal_(random_);
      made.push_back(std::round(std::exp(log_ns + own + program.of_steps * noise)));
    }
    return made;
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  MannWhitney steps_test_;
  std::vector<Series> times_;
  std::vector<MatchedTimes> groups_;
};

/// In how many of so many comparisons some group is told to have changed.
int false_findings(const Program& program, bool if_large, int rounds) {
  int found = 0;
  for (int seed = 0; seed < rounds; ++seed) {
    found += MadeUpCaptures(program, static_cast<unsigned>(seed)).changed(if_large).empty() ? 0 : 1;
  }
  return found;
}

// Few programs tell nothing of a rate: a sanitizer sees their code.
#if defined(PROF_SANITIZED)
constexpr int kPrograms = 20, kByChance = 2;
#else
constexpr int kPrograms = 200, kByChance = 0;
#endif

TEST(GroupTestsTest, FindNothingInTwoCapturesOfAProgram) {
  constexpr int kRounds = kPrograms;
  for (const std::size_t steps : {9U, 30U, 100U}) {
    EXPECT_LE(false_findings({.steps = steps}, false, kRounds), kRounds * 0.075 + kByChance)
        << steps;
  }
  EXPECT_LE(false_findings({.of_captures = 0.002}, true, kRounds), kRounds * 0.05 + kByChance);
}

TEST(GroupTestsTest, FindNothingInSeveralCapturesOfAProgram) {
  constexpr int kRounds = kPrograms / 2;
  for (const std::size_t captures : {2U, 3U, 5U}) {
    const Program program{.base = captures, .fresh = captures};
    EXPECT_LE(false_findings(program, true, kRounds), kRounds * 0.05 + kByChance) << captures;
  }
  EXPECT_LE(false_findings({.base = 3, .fresh = 1}, true, kRounds), kRounds * 0.05 + kByChance);
}

TEST(GroupTestsTest, FindAChange) {
  constexpr int kRounds = 50;
  for (const auto& [base, fresh] : {std::pair{1U, 1U}, {2U, 2U}, {1U, 3U}}) {
    int found = 0;
    for (unsigned seed = 0; seed < kRounds; ++seed) {
      const Program program{
          .base = base, .fresh = fresh, .of_captures = 0.002, .of_steps = 0.004, .first = 0.05};
      const auto changed = MadeUpCaptures(program, seed).changed(false);
      found += std::ranges::count(changed, std::size_t{0}) > 0 ? 1 : 0;
    }
    EXPECT_GE(found, kRounds * 0.9) << base << " and " << fresh;
  }
}

TEST(GroupTestsTest, SeveralCapturesFindLessThanOneCaptureShows) {
  // In single captures each change of 1.5 % of a group looks real.
  const Program program{.base = 2, .fresh = 2, .steps = 200, .of_captures = 0.015};
  EXPECT_LE(false_findings(program, true, 50), 2);
}

TEST(GroupTestsTest, TellNothingSmall) {
  const Series base = {10'000, 10'001, 10'002, 10'003, 10'004, 10'005};
  const auto times = [&](double by) {
    Series made = base;
    for (double& time : made) time *= by;
    return made;
  };
  const Series same = times(1), half_percent = times(1.005), less_than_1_us = times(1.09),
               large = times(1.2);
  MannWhitney steps_test;
  std::vector<MatchedTimes> groups(9, {{base}, {same}});
  groups[0].fresh = {half_percent};
  groups[1].fresh = {less_than_1_us};
  groups[2].fresh = {large};
  const auto tests = test_groups(groups, common_shift(groups, std::nullopt), steps_test);
  EXPECT_FALSE(tests[0].is_large);
  EXPECT_FALSE(tests[1].is_large);
  EXPECT_TRUE(tests[2].is_large);
  EXPECT_NEAR(tests[2].p_value, 2.0 / 924, 1e-9) << "six steps a side cannot show more";
  EXPECT_EQ(tests[3].p_value, 1);
}

}  // namespace
}  // namespace prof::reports
