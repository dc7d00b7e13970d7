// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of which steps are the step.
#include "analyzers/steps/steady_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prof {
namespace {

using testing::ElementsAre;

StepForm step_of(double ms, std::uint64_t kernels = 100) {
  return {.period_ns = static_cast<std::int64_t>(1e6 * ms),
          .kernels = kernels,
          .threads = 256.0 * static_cast<double>(kernels)};
}

std::vector<StepForm> steps_of(const std::vector<double>& ms) {
  std::vector<StepForm> steps;
  for (const double one : ms) steps.push_back(step_of(one));
  return steps;
}

std::vector<std::size_t> steady_of(const SteadySteps& judged) {
  std::vector<std::size_t> steady;
  for (std::size_t i = 0; i < judged.steps.size(); ++i) {
    if (judged.steps[i].is_steady()) steady.push_back(i);
  }
  return steady;
}

std::vector<std::string_view> words_of(const std::vector<StepForm>& steps) {
  std::vector<std::string_view> words;
  const SteadySteps judged = judge_steps(steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    words.push_back(unusual_word(judged.steps[i], steps[i].period_ns));
  }
  return words;
}

TEST(SteadySteps, AreTheLastRunOfSettledTime) {
  EXPECT_THAT(steady_of(judge_steps(steps_of({555.8, 58.4, 4.7, 3.7}))), ElementsAre(2, 3));
  EXPECT_THAT(steady_of(judge_steps(steps_of({690.9, 104.6, 40.5, 37.7}))), ElementsAre(2, 3));
  EXPECT_THAT(steady_of(judge_steps(steps_of({10, 10, 10}))), ElementsAre(0, 1, 2));
  // An algorithm is chosen late: most steps took twice as long.
  EXPECT_THAT(steady_of(judge_steps(steps_of({99, 20, 20, 20, 20, 20, 20, 10, 10, 10, 10, 10}))),
              ElementsAre(7, 8, 9, 10, 11));
}

TEST(SteadySteps, MayStallInTurn) {
  // A data loader of two workers that is too slow, and one of four, after two steps that load.
  const auto two = judge_steps(steps_of({3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3}));
  EXPECT_EQ(steady_of(two).size(), 11U);
  EXPECT_TRUE(two.is_settled);
  ASSERT_EQ(two.kinds.size(), 2U);
  EXPECT_EQ(two.kinds[0].steps, 5U);
  EXPECT_EQ(two.kinds[1].steps, 6U);
  const auto four =
      judge_steps(steps_of({500, 60, 1, 1, 1, 4, 1, 1, 1, 4.1, 1, 1, 1, 3.9, 1, 1, 1, 4}));
  EXPECT_EQ(steady_of(four).front(), 2U);
  EXPECT_EQ(steady_of(four).size(), 16U);
  ASSERT_EQ(four.kinds.size(), 2U);
  EXPECT_EQ(four.kinds[1].steps, 4U);
  // One in which the host did something else is of no kind; nor are two.
  EXPECT_TRUE(judge_steps(steps_of({1, 1, 1, 1, 4, 1, 1, 1, 1, 1})).kinds.empty());
  EXPECT_TRUE(judge_steps(steps_of({1, 1, 4, 1, 1, 1, 1, 4, 1, 1})).kinds.empty());
  // Nor is a warm-up, or what becomes slower.
  EXPECT_TRUE(judge_steps(steps_of({9, 9, 9, 9, 2, 2, 2, 2, 2, 2, 2, 2})).kinds.empty());
  EXPECT_TRUE(judge_steps(steps_of({2, 2, 2, 2, 2, 2, 2, 9, 9, 9, 9, 9})).kinds.empty());
  // What varies without a gap is of one kind.
  EXPECT_TRUE(judge_steps(steps_of({1, 1.3, 1.7, 2.2, 2.9, 1, 1.3, 1.7, 2.2, 2.9})).kinds.empty());
}

TEST(SteadySteps, DoNotBeginWithThoseOfAPipelineThatFills) {
  const auto steps = steps_of({8.9, 9.5, 11.2, 11.2, 11.3, 11.2, 11.1});
  EXPECT_THAT(steady_of(judge_steps(steps)), ElementsAre(2, 3, 4, 5, 6));
  EXPECT_THAT(words_of(steps), ElementsAre("warm-up", "warm-up", "", "", "", "", ""));
  // By less than 5 %, by less than they vary, or with too few to compare with.
  EXPECT_EQ(steady_of(judge_steps(steps_of({10.7, 11.2, 11.2, 11.3, 11.2, 11.1}))).size(), 6U);
  EXPECT_EQ(steady_of(judge_steps(steps_of({9.9, 11.2, 10.7, 11.8, 11.5, 10.9}))).size(), 6U);
  EXPECT_EQ(steady_of(judge_steps(steps_of({9.9, 11.2, 11.2, 11.3, 11.2}))).size(), 5U);
}

TEST(SteadySteps, MayBeInterrupted) {
  const auto steps = steps_of({90, 10, 10, 10, 50, 10, 10});
  EXPECT_THAT(steady_of(judge_steps(steps)), ElementsAre(1, 2, 3, 5, 6));
  EXPECT_THAT(words_of(steps), ElementsAre("warm-up", "", "", "", "slow", "", ""));
}

TEST(SteadySteps, AreMissingWhereNothingSettles) {
  EXPECT_FALSE(judge_steps(steps_of({555.8, 58.4, 4.7})).is_settled);
  EXPECT_FALSE(judge_steps(steps_of({100, 40})).is_settled);
  EXPECT_TRUE(judge_steps(steps_of({40, 40})).is_settled);
  EXPECT_TRUE(judge_steps(steps_of({40})).is_settled) << "one that was asked for";
  EXPECT_FALSE(judge_steps({step_of(40, 67), step_of(40, 28)}).is_settled) << "parts of a step";
  EXPECT_TRUE(
      judge_steps({step_of(40, 60), step_of(40, 70), step_of(40, 80), step_of(40, 90)}).is_settled)
      << "work that depends on data";
}

TEST(SteadySteps, CompareWithStepsOfEqualWork) {
  std::vector<StepForm> steps;
  for (int i = 0; i < 5; ++i) {
    steps.push_back(step_of(10, 100));
    steps.push_back(step_of(i == 4 ? 19 : 20, 200));
  }
  const SteadySteps judged = judge_steps(steps);
  EXPECT_THAT(steady_of(judged), ElementsAre(1, 3, 5, 7, 9)) << "of two the longer one";
  EXPECT_EQ(judged.steps[0].median_ns, 10e6);
  EXPECT_EQ(judged.steps[1].median_ns, 20e6);
  EXPECT_THAT(words_of(steps),
              ElementsAre("other", "", "other", "", "other", "", "other", "", "other", "fast"));
}

TEST(SteadySteps, TellSizesApartThatLaunchAsManyKernels) {
  std::vector<StepForm> steps;
  for (int i = 0; i < 8; ++i) {
    steps.push_back(step_of(i % 4 == 3 ? 30 : 10));
    if (i % 4 == 3) steps.back().product_ns = 3;
  }
  EXPECT_THAT(words_of(steps), ElementsAre("", "", "", "other", "", "", "", "other"));
}

TEST(SteadySteps, OfWorkThatNeverComesAgainAreJudgedByTime) {
  std::vector<StepForm> steps;
  for (std::uint64_t i = 0; i < 8; ++i) steps.push_back(step_of(10, 100 << i));
  EXPECT_EQ(steady_of(judge_steps(steps)).size(), 8U);
}

TEST(SteadySteps, OtherWorkOfTheSameTimeIsAsGoodAsEqual) {
  EXPECT_THAT(steady_of(judge_steps({step_of(10, 100), step_of(10, 100), step_of(11, 200),
                                     step_of(10, 100), step_of(11, 200)})),
              ElementsAre(0, 1, 2, 3, 4));
}

TEST(SteadySteps, CountTheLastOneWhereItsEndIsKnown) {
  std::vector<StepForm> steps = steps_of({10, 10, 10, 8});
  EXPECT_EQ(steady_of(judge_steps(steps)).size(), 4U);
  steps.back().is_whole = false;
  EXPECT_THAT(steady_of(judge_steps(steps)), ElementsAre(0, 1, 2));
  EXPECT_THAT(words_of(steps), ElementsAre("", "", "", "last"));
  EXPECT_FALSE(judge_steps(steps).steps.back().median_ns);
  EXPECT_THAT(steady_of(judge_steps({steps.back()})), ElementsAre(0)) << "better than nothing";
}

TEST(SteadySteps, LeaveOutWhatIsNotAStepsOwn) {
  std::vector<StepForm> steps = steps_of({10, 10, 15, 10, 10});
  steps[2].outside_ns = 5'000'000;
  steps[4].kernels = 0;
  const SteadySteps judged = judge_steps(steps);
  EXPECT_THAT(steady_of(judged), ElementsAre(0, 1, 3));
  EXPECT_EQ(judged.outside.steps, 1U);
  EXPECT_THAT(words_of(steps), ElementsAre("", "", "outside", "", "empty"));
}

TEST(SteadySteps, RunWithoutMarksIfSomeDo) {
  std::vector<StepForm> steps = steps_of({15, 15, 10, 10});
  steps[2].repeats = steps[3].repeats = 100;
  const SteadySteps judged = judge_steps(steps);
  EXPECT_FALSE(judged.is_marked);
  EXPECT_THAT(steady_of(judged), ElementsAre(2, 3));
  EXPECT_THAT(words_of(steps), ElementsAre("marked", "marked", "", ""));
}

TEST(SteadySteps, AreEmptyForNone) {
  EXPECT_TRUE(judge_steps({}).steps.empty());
  EXPECT_EQ(steady_of(judge_steps({step_of(10, 0)})).size(), 0U);
}

}  // namespace
}  // namespace prof
