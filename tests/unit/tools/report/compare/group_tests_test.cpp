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

struct Program {
  std::size_t groups = 60;
  std::size_t base = 1, fresh = 1;  // captures
  std::size_t steps = 30;
  double of_captures = 0.005;  // how much a capture differs in each group
  double of_steps = 0.01;
  double likeness = 0.7;  // of a step with the one before
  double shift = 0.02;    // of the new side
  double first = 0;       // change of the first group
  double unlike = 0;      // how much groups differ in of_steps, as a logarithm
  double skew = 0;        // of steps: their times have a long tail
  double outliers = 0;    // part of the steps that takes 2 to 10 times as long
};

using Series = std::vector<double>;

class MadeUpCaptures {
 public:
  MadeUpCaptures(const Program& program, unsigned seed) : random_(seed) {
    std::uniform_real_distribution<double> size(std::log(2e3), std::log(1e6));
    times_.resize(program.groups * (program.base + program.fresh));
    auto at = times_.begin();
    for (std::size_t group = 0; group < program.groups; ++group) {
      const double log_ns = size(random_);
      spread_ = program.of_steps * std::exp(program.unlike * normal_(random_));
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
    const auto tests = test_groups(groups_, common_shift(groups_, std::nullopt));
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
      const double tail =
          program.skew == 0 ? noise : std::expm1(program.skew * noise) / program.skew;
      const bool is_outlier = part_(random_) < program.outliers;
      const double times = is_outlier ? 2 + 8 * part_(random_) : 1;
      made.push_back(std::round(times * std::exp(log_ns + own + spread_ * tail)));
    }
    return made;
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> part_{0, 1};
  double spread_ = 0;  // of the steps of a group
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
  for (const std::size_t steps : {3U, 9U, 30U, 100U}) {
    EXPECT_LE(false_findings({.steps = steps}, false, kRounds), kRounds * 0.075 + kByChance)
        << steps;
  }
  EXPECT_LE(false_findings({.of_captures = 0.002}, true, kRounds), kRounds * 0.05 + kByChance);
}

// Few steps, where a test by ranks proves nothing: op times are skewed, some take far longer now
// and then, some vary far more than others, and steps resemble their neighbors.
TEST(GroupTestsTest, FindNothingInAFewStepsOfAnyProgram) {
  for (const std::size_t steps : {3U, 4U, 6U}) {
    for (const std::size_t groups : {100U, 700U}) {
      const int rounds = kPrograms / (groups == 100 ? 2 : 10);
      for (const Program& program :
           {Program{.likeness = 0}, Program{.likeness = 0, .unlike = 0.8, .skew = 0.7},
            Program{.likeness = 0, .unlike = 1.5}, Program{.likeness = 0, .outliers = 0.01},
            Program{.likeness = 0.5, .unlike = 0.8, .skew = 0.7, .outliers = 0.001}}) {
        Program some = program;
        some.groups = groups;
        some.steps = steps;
        EXPECT_LE(false_findings(some, true, rounds), rounds * 0.05 + kByChance)
            << steps << " steps, " << groups << " groups, unlike " << some.unlike << ", outliers "
            << some.outliers << ", likeness " << some.likeness;
      }
    }
  }
}

TEST(GroupTestsTest, FindWhatIsLargeInAFewStepsOfManyGroups) {
  for (const std::size_t steps : {3U, 6U}) {
    const Program program{.groups = 55'296,
                          .steps = steps,
                          .of_captures = 0.003,
                          .likeness = 0,
                          .first = 1,
                          .unlike = 0.5,
                          .skew = 0.7,
                          .outliers = 0.001};
    EXPECT_EQ(MadeUpCaptures(program, 1).changed(true), std::vector<std::size_t>{0}) << steps;
  }
  const Program of_few{.groups = 670, .steps = 5, .of_captures = 0.003, .first = 0.46};
  EXPECT_EQ(MadeUpCaptures(of_few, 2).changed(true), std::vector<std::size_t>{0});
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
  std::vector<MatchedTimes> groups(9, {{base}, {same}});
  groups[0].fresh = {half_percent};
  groups[1].fresh = {less_than_1_us};
  groups[2].fresh = {large};
  const auto tests = test_groups(groups, common_shift(groups, std::nullopt));
  EXPECT_FALSE(tests[0].is_large);
  EXPECT_FALSE(tests[1].is_large);
  EXPECT_TRUE(tests[2].is_large);
  EXPECT_LT(tests[2].p_value, 1e-6) << "so large that six steps a side are enough";
  EXPECT_EQ(tests[3].p_value, 1);
}

}  // namespace
}  // namespace prof::reports
