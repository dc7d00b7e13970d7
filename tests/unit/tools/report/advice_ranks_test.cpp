// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Advice about a rank among others, on steps that are stated here.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/advice/advisor.hpp"

namespace prof::reports {
namespace {

class AdviceAmongRanks : public testing::Test {
 protected:
  static constexpr double kMs = 1e6;

  /// Of 10 ms.
  static StepFacts step() {
    StepFacts facts;
    facts.period_ns = facts.gpu_ns = 10 * kMs;
    facts.host_ns = 5 * kMs;
    facts.step.has_steps = true;
    facts.step.steps = {{{}, 0}};
    return facts;
  }
  static double middle(const Gain& gain) { return (gain.low_ns + gain.high_ns) / 2; }
};

TEST_F(AdviceAmongRanks, ARankThatMakesStepsLonger) {
  StepFacts facts = step();
  facts.standing = {.ranks = 4, .waited_for_ns = 0.1 * kMs, .cost_ns = 1.2 * kMs};
  auto all = advise(facts);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, "imbalance");
  EXPECT_EQ(all[0].what, "remove what makes this rank late");
  EXPECT_EQ(all[0].evidence, "a step takes 1.20 ms longer than if this rank were as the others");
  EXPECT_NEAR(middle(all[0].gain), 0.75 * 1.2 * kMs, 1);
  facts.standing.cause = "8 times the size of linear";
  facts.standing.has_more_work = true;
  all = advise(facts);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].what, "give all GPUs the same work");
  EXPECT_EQ(all[0].evidence,
            "a step takes 1.20 ms longer than if this rank were as the others: 8 times the size of "
            "linear");
  EXPECT_NEAR(middle(all[0].gain), 0.75 * 0.9 * kMs, 1) << "each of four takes the mean";
  facts.standing.cost_ns = 0;
  facts.standing.waited_for_ns = 3 * kMs;
  EXPECT_TRUE(advise(facts).empty()) << "a step would take as long without";
}

TEST_F(AdviceAmongRanks, ALayerThatWaitsInItsCollectiveIsNotUnlikeItsSiblings) {
  StepFacts facts = step();
  for (int layer = 0; layer < 4; ++layer) {
    WorkGroup& group = facts.groups.emplace_back();
    group.layer = "blocks." + std::to_string(layer);
    group.op = "all_gather";
    group.params = "T=(64)";
    group.count = 1;
    group.gpu_ns = (layer == 0 ? 2 : 0.5) * kMs;
  }
  const auto rules = [&] {
    std::vector<std::string_view> found;
    for (const Advice& advice : advise(facts)) found.push_back(advice.rule);
    return found;
  };
  EXPECT_EQ(std::ranges::count(rules(), "siblings"), 1);
  for (WorkGroup& group : facts.groups) group.is_collective = true;
  EXPECT_EQ(std::ranges::count(rules(), "siblings"), 0);
}

TEST_F(AdviceAmongRanks, WaitsForOtherRanksCannotBeOverlapped) {
  StepFacts facts = step();
  facts.step.state_ns[static_cast<std::size_t>(DeviceState::kCollective)] =
      static_cast<std::int64_t>(2 * kMs * facts.step.count());
  const auto before = advise(facts);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before[0].what, "overlap collectives");
  facts.standing.exposed_waits_ns = 1.5 * kMs;
  const auto after = advise(facts);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_NEAR(middle(after[0].gain), middle(before[0].gain) / 4, 1);
  EXPECT_EQ(after[0].evidence,
            "0.500 ms of collectives while nothing computes, without 1.50 ms of waits for other "
            "ranks");
  facts.standing.exposed_waits_ns = 3 * kMs;
  EXPECT_TRUE(advise(facts).empty());
  facts.standing = {};
  facts.lacks_ranks = true;
  const auto alone = advise(facts);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].evidence,
            "2.00 ms of collectives while nothing computes; a wait for ranks without a trace, "
            "maybe");
}

}  // namespace
}  // namespace prof::reports
