// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/process_steps.hpp"

#include <gtest/gtest.h>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;

dialects::Registry builtin() {
  dialects::Registry registry;
  dialects::register_builtin(registry);
  return registry;
}

TEST(ProcessStepsTest, AreFoundByTime) {
  FakeTrace trace;
  trace.process_range("step:0", 100, 200);
  trace.process_range("epoch", 150, 400);
  trace.process_range("step:1", 200, 300);
  trace.process_range("step:7", 350, std::nullopt);
  const ProcessSteps steps(trace, builtin());
  EXPECT_EQ(steps.at(99), std::nullopt);
  EXPECT_EQ(steps.at(100), 0);
  EXPECT_EQ(steps.at(199), 0);
  EXPECT_EQ(steps.at(200), 1);
  EXPECT_EQ(steps.at(300), std::nullopt);
  EXPECT_EQ(steps.at(1'000'000), 7);
}

TEST(ProcessStepsTest, OfSeveralTheLastCounts) {
  FakeTrace trace;
  trace.process_range("step:1", 100, 1000);
  trace.process_range("ProfilerStep#5", 200, 300);
  trace.process_range("Train step 6", 400, 400);
  const ProcessSteps steps(trace, builtin());
  EXPECT_EQ(steps.at(250), 5);
  EXPECT_EQ(steps.at(300), 1);
  EXPECT_EQ(steps.at(400), 1);
  EXPECT_EQ(steps.at(999), 1);
  EXPECT_EQ(steps.at(1000), std::nullopt);
}

TEST(ProcessStepsTest, OtherDomainsHaveNone) {
  FakeTrace trace;
  trace.process_range("step:1", 0, 1000, trace.domain("NCCL"));
  EXPECT_EQ(ProcessSteps(trace, builtin()).at(500), std::nullopt);
}

TEST(ProcessStepsTest, HoldForEveryThreadThatHasNoStepOfItsOwn) {
  FakeTrace trace;
  trace.process_range("step:3", 0, std::nullopt);
  trace.kernel("k", 100, 1);
  trace.kernel("k", 100, 2);
  trace.push("step:9", 2);
  trace.kernel("k", 100, 2);
  trace.orphan("k");
  AttributedCursor cursor(trace);
  std::vector<std::optional<std::int64_t>> steps;
  while (const AttributedRow* row = cursor.next()) steps.push_back(row->attribution->step);
  EXPECT_EQ(steps, (std::vector<std::optional<std::int64_t>>{3, 3, 9, std::nullopt}));
}

}  // namespace
}  // namespace prof
