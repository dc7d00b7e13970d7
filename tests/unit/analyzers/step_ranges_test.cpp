// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/steps/step_ranges.hpp"

#include <gtest/gtest.h>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

std::optional<std::int64_t> number_at(const StepRanges& steps, std::int64_t time_ns) {
  const auto step = steps.open_at(time_ns);
  return step ? std::optional(step->number) : std::nullopt;
}

using fakes::FakeTrace;

dialects::Registry builtin() {
  dialects::Registry registry;
  dialects::register_builtin(registry);
  return registry;
}

TEST(StepRangesTest, AreFoundByTime) {
  FakeTrace trace;
  trace.process_range("step:0", 100, 200);
  trace.process_range("epoch", 150, 400);
  trace.process_range("step:1", 200, 300);
  trace.process_range("step:7", 350, std::nullopt);
  const StepRanges steps(trace, builtin(), {});
  EXPECT_EQ(number_at(steps, 99), std::nullopt);
  EXPECT_EQ(number_at(steps, 100), 0);
  EXPECT_EQ(number_at(steps, 199), 0);
  EXPECT_EQ(number_at(steps, 200), 1);
  EXPECT_EQ(number_at(steps, 300), std::nullopt);
  EXPECT_EQ(number_at(steps, 1'000'000), 7);
}

TEST(StepRangesTest, OfSeveralTheLastCounts) {
  FakeTrace trace;
  trace.process_range("step:1", 100, 1000);
  trace.process_range("ProfilerStep#5", 200, 300);
  trace.process_range("Train step 6", 400, 400);
  const StepRanges steps(trace, builtin(), {});
  EXPECT_EQ(number_at(steps, 250), 5);
  EXPECT_EQ(number_at(steps, 300), 1);
  EXPECT_EQ(number_at(steps, 400), 1);
  EXPECT_EQ(number_at(steps, 999), 1);
  EXPECT_EQ(number_at(steps, 1000), std::nullopt);
}

TEST(StepRangesTest, OtherDomainsHaveNone) {
  FakeTrace trace;
  trace.process_range("step:1", 0, 1000, trace.domain("NCCL"));
  EXPECT_EQ(number_at(StepRanges(trace, builtin(), {}), 500), std::nullopt);
}

TEST(StepRangesTest, HoldForEveryThreadThatHasNoStepOfItsOwn) {
  FakeTrace trace;
  trace.process_range("step:3", 0, std::nullopt);
  trace.kernel("k", 100, 1);
  trace.kernel("k", 100, 2);
  trace.push("step:9", 2);
  trace.kernel("k", 100, 2);
  trace.orphan("k");
  const auto cursor = attribute_work(trace);
  std::vector<std::optional<std::int64_t>> steps;
  while (const AttributedRow* row = cursor->next()) steps.push_back(row->attribution.step);
  EXPECT_EQ(steps, (std::vector<std::optional<std::int64_t>>{3, 3, 9, std::nullopt}));
}

TEST(StepRangesTest, HoldForOtherThreadsThatHaveNoneAlsoOnAStack) {
  FakeTrace trace;
  trace.push("step:4");
  trace.kernel("forward", 100, 1);
  trace.kernel("backward", 100, 2);
  trace.pop();
  trace.kernel("after", 100, 2);
  trace.push("step:5");
  trace.push("step:9", 2);
  trace.kernel("own", 100, 2);
  trace.kernel("innermost", 100, 1);
  trace.pop(2);
  trace.pop();
  const auto cursor = attribute_work(trace);
  std::vector<std::optional<std::int64_t>> steps;
  while (const AttributedRow* row = cursor->next()) steps.push_back(row->attribution.step);
  using Step = std::optional<std::int64_t>;
  EXPECT_EQ(steps, (std::vector<Step>{4, 4, std::nullopt, 9, 5}));
}

std::vector<std::int64_t> steps_at(FakeTrace& trace, const RangeOptions& options,
                                   const std::vector<std::int64_t>& times) {
  const StepRanges steps(trace, builtin(), options);
  std::vector<std::int64_t> found;
  for (const std::int64_t time : times) found.push_back(number_at(steps, time).value_or(-1));
  return found;
}

TEST(StepRangesTest, AreThoseThatTheUserNames) {
  FakeTrace trace;
  const DomainId domain = trace.domain("engine");
  trace.process_range("step:7", 0, 1000);
  trace.process_range("batch of 8", 100, 200);
  trace.process_range("batch of 4", 300, 400, domain);
  trace.process_range("batch of 2", 500, 600);
  const std::vector<std::int64_t> times{50, 150, 350, 550};
  EXPECT_EQ(steps_at(trace, {}, times), (std::vector<std::int64_t>{7, 7, 7, 7}));
  EXPECT_EQ(steps_at(trace, {{}, {"batch*"}}, times), (std::vector<std::int64_t>{-1, 0, 1, 2}));
  EXPECT_EQ(steps_at(trace, {{}, {"engine:*"}}, times), (std::vector<std::int64_t>{-1, -1, 0, -1}));
  EXPECT_EQ(steps_at(trace, {{}, {"step:7"}}, times), (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(steps_at(trace, {{}, {"none"}}, times), (std::vector<std::int64_t>{-1, -1, -1, -1}));
}

TEST(StepRangesTest, ThatTheUserNamesStayLayers) {
  FakeTrace trace;
  trace.push("iteration");
  trace.kernel("k");
  trace.pop();
  const auto cursor = attribute_work(trace, {.range_options = {{}, {"iteration"}}});
  const AttributedRow* const row = cursor->next();
  EXPECT_EQ(row->attribution.step, 0);
  EXPECT_EQ(row->attribution.op->layer, "iteration");
}

TEST(StepRangesTest, AreAnEnginesIterationsWhereNoneIsStated) {
  FakeTrace trace;
  trace.push("execute_context_1(512)_generation_0(0)");
  trace.kernel("prefill");
  trace.pop();
  trace.push("execute_context_0(0)_generation_8(8)");
  trace.kernel("decode");
  trace.pop();
  trace.push("step[DECODE bs=8]");
  trace.kernel("decode");
  trace.pop();
  trace.push("execute_query");
  trace.kernel("other");
  trace.pop();
  const auto cursor = attribute_work(trace);
  for (const std::int64_t step : {0, 1, 2}) {
    const AttributedRow* const row = cursor->next();
    EXPECT_EQ(row->attribution.step, step);
    EXPECT_EQ(row->attribution.op->layer, "") << "an iteration is no layer";
  }
  EXPECT_EQ(cursor->next()->attribution.step, std::nullopt);
  trace.process_range("Train step 3", 0, std::nullopt);
  EXPECT_EQ(attribute_work(trace)->next()->attribution.step, 3);
}

TEST(StepRangesTest, AreCallsOfModelsWhereNothingEndsAStep) {
  FakeTrace trace;
  trace.process_range("call:0", 100, 200);
  trace.process_range("call:1", 200, 300);
  const std::vector<std::int64_t> times{150, 250, 350};
  EXPECT_EQ(steps_at(trace, {}, times), (std::vector<std::int64_t>{0, 1, -1}));
  trace.process_range("step:0", 100, 400);
  EXPECT_EQ(steps_at(trace, {}, times), (std::vector<std::int64_t>{0, 1, -1}))
      << "one step for all calls: no optimizer has ended it";
  trace.process_range("step:1", 400, 500);
  EXPECT_EQ(steps_at(trace, {}, times), (std::vector<std::int64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace prof
