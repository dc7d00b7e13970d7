// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the words about steps.
#include "tools/report/builtin/step_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/report/rows/chosen_timeline.hpp"

namespace prof::reports {
namespace {

TypicalStep typical_of(const std::vector<std::int64_t>& steady, std::int64_t all,
                       std::int64_t first = 0) {
  TypicalStep step;
  step.has_steps = true;
  step.all_steps = static_cast<std::size_t>(all);
  for (std::int64_t i = 0; i < all; ++i) step.all_numbers.add(first + i);
  for (const std::int64_t number : steady) {
    step.steps.emplace(1, number);
    step.steady_numbers.add(number);
  }
  step.shortest_ns = 37'700'000;
  step.longest_ns = 40'500'000;
  return step;
}

TEST(StepTexts, SayWhichStepsCount) {
  EXPECT_EQ(span_text({}), "no steps: all captured time");
  EXPECT_EQ(span_text(typical_of({3}, 1)), "one step");
  EXPECT_EQ(span_text(typical_of({8, 9}, 3, 7)), "steps 8-9 of 7-9, 37.7 to 40.5 ms");
  TypicalStep step = typical_of({2, 3}, 4);
  EXPECT_EQ(span_text(step), "steps 2-3 of 4, 37.7 to 40.5 ms");
  step.warm_up_numbers.add(0);
  EXPECT_EQ(span_text(step), "steps 2-3 of 4, 37.7 to 40.5 ms; step 0 is warm-up");
  step.warm_up_numbers.add(1);
  EXPECT_EQ(span_text(step), "steps 2-3 of 4, 37.7 to 40.5 ms; steps 0-1 are warm-up");
  step.other_steps = 3;
  EXPECT_EQ(span_text(step),
            "steps 2-3 of 4, 37.7 to 40.5 ms; steps 0-1 are warm-up; 3 of other work");
  TypicalStep cold = typical_of({3}, 4);
  cold.is_settled = false;
  EXPECT_EQ(span_text(cold), "step 3 of 4; still warming up: capture more steps");
  EXPECT_EQ(span_text(typical_of({1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21}, 22)),
            "11 of 22 steps, 37.7 to 40.5 ms");
}

TEST(StepTexts, SayWhichKindsOfStepsThereAre) {
  TypicalStep step = typical_of({0, 1, 2, 3, 4, 5}, 6);
  const auto computing = static_cast<std::size_t>(DeviceState::kComputing);
  const auto idle = static_cast<std::size_t>(DeviceState::kIdle);
  step.kinds.resize(2);
  step.kinds[0].steps = step.kinds[1].steps = 3;
  step.kinds[0].period_ns = step.kinds[0].state_ns[computing] = 30'000'000;
  step.kinds[1].period_ns = 93'000'000;
  step.kinds[1].state_ns[computing] = 33'000'000;
  step.kinds[1].state_ns[idle] = step.kinds[1].idle_ns[IdleCause::kData] = 60'000'000;
  EXPECT_EQ(span_text(step),
            "steps 0-5 of 6; the mean of 2 kinds in turn: 3 of 10.0 ms, 3 of 31.0 ms (20.0 ms more "
            "idle: data)");
  step.is_found = true;
  EXPECT_TRUE(span_text(step).ends_with("; estimated from what repeats"));
}

TEST(StepTexts, SayWhichStepsSpanOtherWork) {
  std::vector<std::string> remarks;
  OutsideSum sum;
  add_remark(sum, 0, false, remarks);
  EXPECT_TRUE(remarks.empty());
  sum.add(1'500'000);
  add_remark(sum, 0, false, remarks);
  sum.add(500'000);
  add_remark(sum, 1, true, remarks);
  EXPECT_THAT(remarks, testing::ElementsAre(
                           "1 step has 1.500 ms of GPU work in no step behind it, which its period "
                           "spans: not steady",
                           "GPU 1: 2 steps have 2.000 ms of GPU work in no step behind them, which "
                           "their periods span: not steady"));
}

}  // namespace
}  // namespace prof::reports
