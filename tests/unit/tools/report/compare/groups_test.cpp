// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of what a comparison makes of work: groups, which of them match, what all have in common.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "tools/report/compare/common_shift.hpp"
#include "tools/report/compare/gpu_pairs.hpp"
#include "tools/report/compare/match.hpp"
#include "tools/report/compare/step_groups.hpp"

namespace prof::reports {
namespace {

StepGroups::Work work(std::string_view op, std::uint64_t op_id, std::int64_t time_ns,
                      std::string_view kernel = "k") {
  return {.layer = "l",
          .op = op,
          .direction = "fprop",
          .params = "T=(1)",
          .kernel = kernel,
          .short_kernel = kernel,
          .op_id = op_id,
          .time_ns = time_ns};
}

TEST(StepGroupsTest, NumberTheOpsOfAStep) {
  StepGroups groups(2);
  // Two kernels of one call, around one of another call.
  groups.add(0, work("linear", 1, 10));
  groups.add(0, work("linear", 2, 20));
  groups.add(0, work("linear", 1, 5, "helper"));
  groups.add(1, work("linear", 7, 11));
  groups.add(0, work("linear", 3, 1));  // steps overlap
  groups.add(1, work("linear", 8, 21));
  groups.finish();
  ASSERT_EQ(groups.groups().size(), 3U);
  EXPECT_EQ(groups.groups()[0].time_ns, (std::vector<double>{15, 11}));
  EXPECT_EQ(groups.groups()[1].time_ns, (std::vector<double>{20, 21}));
  EXPECT_EQ(groups.groups()[1].key.nth, 1U);
  EXPECT_TRUE(groups.groups()[1].is_typical);
  EXPECT_FALSE(groups.groups()[2].is_typical) << "in one of two steps";
  const auto& kernels = groups.groups()[0].kernels;
  ASSERT_EQ(kernels.size(), 1U) << "the helper runs in one of two steps";
  EXPECT_EQ(kernels[0]->full, "k");
}

TEST(StepGroupsTest, TakeWorkOutsideOfOpsByKernel) {
  StepGroups groups(1);
  for (const char* kernel : {"a", "b", "a"}) groups.add(0, work("", 0, 10, kernel));
  groups.finish();
  ASSERT_EQ(groups.groups().size(), 2U);
  EXPECT_EQ(groups.groups()[0].key.name->kernel, "a");
  EXPECT_EQ(groups.groups()[0].time_ns[0], 20);
}

GroupKey key(std::string layer, std::string op, std::uint32_t nth = 0) {
  static std::deque<GroupName> names;
  names.push_back({.layer = std::move(layer),
                   .op = std::move(op),
                   .direction = {},
                   .params = {},
                   .kernel = {}});
  return {&names.back(), nth};
}

std::vector<Match> matches_of(const std::vector<GroupKey>& base,
                              const std::vector<GroupKey>& fresh) {
  std::vector<const GroupKey*> a, b;
  for (const GroupKey& one : base) a.push_back(&one);
  for (const GroupKey& one : fresh) b.push_back(&one);
  return match_groups(a, b);
}

TEST(MatchTest, FindsWhatMovedAmongWhatIsLeft) {
  const auto matches = matches_of({key("h.0", "linear"), key("h.1", "linear"), key("x", "relu")},
                                  {key("h.1", "linear"), key("new.0", "linear"), key("x", "gelu")});
  ASSERT_EQ(matches.size(), 4U);
  EXPECT_EQ(matches[0].fresh, 1U);
  EXPECT_TRUE(matches[0].is_moved);
  EXPECT_EQ(matches[1].fresh, 0U);
  EXPECT_FALSE(matches[1].is_moved);
  EXPECT_FALSE(matches[2].fresh) << "relu was removed";
  EXPECT_FALSE(matches[3].base) << "gelu was added";
}

TEST(MatchTest, AnOpMoreIsAdded) {
  const auto matches =
      matches_of({key("a", "linear")}, {key("a", "linear"), key("a", "linear", 1)});
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_FALSE(matches[1].base);
}

TEST(CommonShiftTest, IsTheMedianRatio) {
  const std::vector<double> ten(5, 10'000), slower(5, 10'200), other(5, 20'000);
  const std::vector<MatchedTimes> groups = {
      {{ten}, {slower}}, {{ten}, {slower}}, {{ten}, {slower}}, {{ten}, {other}}};
  const CommonShift shift = common_shift(groups, std::nullopt);
  EXPECT_NEAR(shift.shift, std::log(1.02), 1e-12);
  EXPECT_EQ(shift.groups, 4U);
  EXPECT_NEAR(shift.beyond(std::log(1.02)), 0, 1e-12);
  EXPECT_NEAR(shift.beyond(std::log(2)), std::log(2 / 1.02), 1e-12);
  EXPECT_NEAR(shift.beyond(0), -std::log(1.02), 1e-12);
  EXPECT_EQ(shift.beyond(0, true), 0) << "a collective does not follow the GPU";
  EXPECT_NEAR(shift.beyond(std::log(2), true), std::log(2 / 1.02), 1e-12);
}

TEST(CommonShiftTest, KnowsWhatTheClocksExplain) {
  const std::vector<double> ten(5, 10'000);
  const std::vector<MatchedTimes> groups(3, {{ten}, {ten}});
  const CommonShift shift = common_shift(groups, std::log(1.02));
  EXPECT_EQ(shift.shift, 0) << "most wait for memory";
  EXPECT_EQ(shift.beyond(0), 0);
  EXPECT_EQ(shift.beyond(std::log(1.02)), 0) << "computes, and follows the clock";
  EXPECT_NEAR(shift.beyond(std::log(1.05)), std::log(1.05 / 1.02), 1e-12);
  EXPECT_NEAR(shift.beyond(std::log(0.97)), std::log(0.97), 1e-12);
}

TEST(CommonShiftTest, LeavesOutShortOnes) {
  const std::vector<double> tick(5, 64), long_one(5, 50'000), longer(5, 51'000);
  const CommonShift shift = common_shift(
      std::vector<MatchedTimes>{{{tick}, {tick}}, {{tick}, {tick}}, {{long_one}, {longer}}},
      std::nullopt);
  EXPECT_NEAR(shift.shift, std::log(1.02), 1e-12);
}

std::unique_ptr<GpuCapture> capture_of(std::size_t trace, std::optional<std::uint32_t> rank,
                                       std::uint32_t device) {
  return std::make_unique<GpuCapture>(GpuCapture{.trace = trace,
                                                 .rank = rank,
                                                 .device = device,
                                                 .typical = {},
                                                 .periods_ns = {},
                                                 .groups = StepGroups(1),
                                                 .sm_clock_mhz = {}});
}

TEST(GpuPairsTest, PairGpusByRankAndNumber) {
  std::vector<std::unique_ptr<GpuCapture>> captures;
  for (const std::size_t trace : {0U, 1U, 2U, 3U}) {
    captures.push_back(capture_of(trace, trace % 2, 0));
  }
  captures.push_back(capture_of(3, 1, 4));
  const GpuPairs pairs = pair_gpus(captures, 2);
  ASSERT_EQ(pairs.both.size(), 2U);
  EXPECT_EQ(pairs.both[1].name(), "rank 1, GPU 0");
  EXPECT_EQ(pairs.fresh_alone, std::vector<std::string>{"rank 1, GPU 4"});
}

TEST(GpuPairsTest, ComparesTheOnlyGpusOfTwoSides) {
  std::vector<std::unique_ptr<GpuCapture>> captures;
  captures.push_back(capture_of(0, std::nullopt, 3));
  captures.push_back(capture_of(1, std::nullopt, 0));
  const GpuPairs pairs = pair_gpus(captures, 1);
  ASSERT_EQ(pairs.both.size(), 1U);
  EXPECT_EQ(pairs.both[0].base.size(), 1U);
  EXPECT_EQ(pairs.both[0].fresh.size(), 1U);
}

}  // namespace
}  // namespace prof::reports
