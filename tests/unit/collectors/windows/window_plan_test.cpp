// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/windows/window_plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::collectors {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// A plan and what a program does; windows open and close at once.
class WindowPlanTest : public testing::Test {
 protected:
  void ask(std::string_view lines) {
    CaptureSpec spec;
    ASSERT_TRUE(add_capture_specs(lines, spec).ok()) << lines;
    plan.emplace(spec);
    plan->begin(now);
    plan->pass(now, 0);
    settle();
  }
  void settle() {
    if (plan->wants_window() == plan->is_open()) return;
    if (plan->is_open()) {
      plan->closed();
      log += "-(" + plan->closer() + ") ";
    } else {
      plan->opened(now);
      log += "+(" + plan->opener() + ") ";
    }
  }
  WindowPlan::Token push(std::string_view text, std::string_view domain = "") {
    const WindowPlan::Match match = plan->match(domain, text);
    if (match == 0) {
      plan->saw(text);
      return 0;
    }
    const WindowPlan::Token token = plan->range_begins(match, text);
    settle();
    return token;
  }
  void pop(WindowPlan::Token token) {
    plan->range_ends(token);
    settle();
  }
  void range(std::string_view text, std::string_view domain = "") { pop(push(text, domain)); }
  void steps(int first, int last) {
    for (int step = first; step <= last; ++step) range("step:" + std::to_string(step));
  }
  void pass(std::int64_t ns, std::uint64_t kernels = 0) {
    plan->pass(now += ns, kernels);
    settle();
  }
  std::string said() { return std::exchange(log, ""); }

  std::optional<WindowPlan> plan;
  std::int64_t now = 100 * kSecond;
  std::string log;
};

TEST_F(WindowPlanTest, WithoutAnOpenerTheWindowIsTheWholeRun) {
  ask("");
  EXPECT_EQ(said(), "+(start of CUDA) ");
  EXPECT_FALSE(plan->is_over());
  EXPECT_EQ(plan->next_ns(), std::nullopt);
}

TEST_F(WindowPlanTest, DelayAndDuration) {
  ask("delay:30s\nduration:10s");
  EXPECT_EQ(said(), "");
  EXPECT_EQ(plan->next_ns(), now + 30 * kSecond);
  pass(30 * kSecond);
  EXPECT_EQ(said(), "+(delay) ");
  EXPECT_EQ(plan->next_ns(), now + 10 * kSecond);
  pass(10 * kSecond);
  EXPECT_EQ(said(), "-(duration) ");
  EXPECT_TRUE(plan->is_over());
  pass(100 * kSecond);
  EXPECT_EQ(said(), "");
}

TEST_F(WindowPlanTest, StepsStayInOneWindow) {
  ask("steps:2..3,5");
  steps(0, 9);
  EXPECT_EQ(said(), "+(step 2) -(end of step 3) +(step 5) -(end of step 5) ");
  EXPECT_TRUE(plan->is_over());
}

TEST_F(WindowPlanTest, AStepBeyondEndsTheWindow) {
  ask("steps:2..8");
  steps(0, 3);
  EXPECT_FALSE(plan->is_over());
  push("step:20");
  EXPECT_EQ(said(), "+(step 2) -(begin of step 20) ");
}

TEST_F(WindowPlanTest, AStepThatTwoToolsMarkIsOne) {
  ask("steps:4");
  const auto outer = push("step:4"), inner = push("ProfilerStep#4");
  pop(inner);
  EXPECT_EQ(said(), "+(step 4) ");
  pop(outer);
  EXPECT_EQ(said(), "-(end of step 4) ");
}

TEST_F(WindowPlanTest, RangesByDomainAndNumber) {
  ask("nvtx:NCCL:all*#2..3");
  range("allReduce");
  range("allReduce", "NCCL");
  EXPECT_EQ(said(), "");
  range("allGather", "NCCL");
  range("allReduce", "NCCL");
  EXPECT_FALSE(said().empty());
  EXPECT_TRUE(plan->is_over());
  range("allReduce", "NCCL");
  EXPECT_EQ(said(), "");
}

TEST_F(WindowPlanTest, TheWindowIsOpenAsLongAsOneRangeIs) {
  ask("nvtx:decode*");
  const auto one = push("decode 1"), other = push("decode 2");
  pop(one);
  EXPECT_EQ(said(), "+(range decode 1) ");
  pop(other);
  EXPECT_EQ(said(), "-(end of the range) ");
}

TEST_F(WindowPlanTest, ALimitEndsTheWindowUntilSomethingOpensAnother) {
  ask("nvtx:serve\nkernels:1000");
  const auto one = push("serve");
  pass(kSecond, 999);
  EXPECT_EQ(said(), "+(range serve) ");
  pass(1, 1000);
  EXPECT_EQ(said(), "-(kernels) ");
  pass(kSecond, 0);
  pop(one);
  EXPECT_EQ(said(), "");
  range("serve");
  EXPECT_EQ(said(), "+(range serve) -(end of the range) ");
}

TEST_F(WindowPlanTest, SignalProfilerAndControl) {
  ask("signal:USR2\ncuda-profiler-api\ncontrol");
  plan->toggle();
  settle();
  plan->profiler(true);
  plan->toggle();
  settle();
  plan->profiler(false);
  settle();
  EXPECT_EQ(said(), "+(signal) -(cudaProfilerStop) ");
  plan->control(true);
  settle();
  plan->profiler(true);
  plan->control(false);
  settle();
  EXPECT_EQ(said(), "+(prof-run start) -(prof-run stop) ");
  plan->toggle();
  settle();
  EXPECT_EQ(said(), "+(signal) ");
  EXPECT_FALSE(plan->is_over());
}

TEST_F(WindowPlanTest, TheProfilerApiOpensNothingUnasked) {
  ask("control");
  plan->profiler(true);
  settle();
  EXPECT_EQ(said(), "");
}

TEST_F(WindowPlanTest, OpenersBeforeTheEndOfTheDelayWait) {
  ask("nvtx:serve\ndelay:5s");
  range("serve");
  push("serve");
  EXPECT_EQ(said(), "");
  pass(5 * kSecond);
  EXPECT_EQ(said(), "+(range serve) ");
}

TEST_F(WindowPlanTest, WhoWaitsInVainHearsWhatCame) {
  ask("steps:100..110\nnvtx:decode");
  EXPECT_EQ(plan->seen(), "");
  steps(0, 7);
  for (const char* text : {"forward", "backward", "forward"}) push(text);
  EXPECT_EQ(plan->seen(), "steps 0 to 7; ranges forward, backward");
  for (const char* text : {"a", "b", "c"}) push(text);
  EXPECT_EQ(plan->seen(), "steps 0 to 7; ranges forward, backward, a, b, ...");
}

TEST_F(WindowPlanTest, DutyOfSteps) {
  ask("duty:2/5steps");
  steps(0, 11);
  EXPECT_EQ(said(), "+(step 3) -(end of step 4) +(step 8) -(end of step 9) ");
  EXPECT_FALSE(plan->is_over());
  EXPECT_FALSE(plan->next_ns());
}

TEST_F(WindowPlanTest, DutyOfTime) {
  ask("delay:1s\nduty:2s/10s");
  pass(kSecond);
  EXPECT_EQ(plan->next_ns(), now + 8 * kSecond);
  pass(7 * kSecond);
  EXPECT_EQ(said(), "");
  pass(kSecond);
  EXPECT_EQ(said(), "+(duty) ");
  EXPECT_EQ(plan->next_ns(), now + 2 * kSecond);
  pass(2 * kSecond);
  EXPECT_EQ(said(), "-(end of duty) ");
  pass(18 * kSecond);
  EXPECT_EQ(said(), "+(duty) ") << "one that was slept through is not made up for";
  pass(25 * kSecond);
  EXPECT_EQ(said(), "-(end of duty) ");
}

TEST_F(WindowPlanTest, ALimitEndsDutyUntilTheNextPeriod) {
  ask("duty:5s/10s\nduration:1s");
  pass(5 * kSecond);
  pass(kSecond);
  pass(kSecond);
  EXPECT_EQ(said(), "+(duty) -(duration) ");
  pass(8 * kSecond);
  EXPECT_EQ(said(), "+(duty) ");
}

TEST_F(WindowPlanTest, DutyThatNeverCame) {
  ask("duty:2/100steps");
  steps(0, 20);
  EXPECT_EQ(plan->missed(), "duty:2/100steps");
}

}  // namespace
}  // namespace prof::collectors
