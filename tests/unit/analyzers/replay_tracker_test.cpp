// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/graphs/replay_tracker.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::kSgemm;
using fakes::kTorchLinear;

class Replays : public ::testing::Test {
 protected:
  void make(std::uint64_t node, const char* text) {
    trace_.push(text);
    trace_.make_kernel_node(node, kSgemm);
    trace_.pop();
  }
  /// What each row means, in order, and the first id of its replay.
  std::vector<std::pair<std::optional<StackMeaning>, std::uint64_t>> follow() {
    StackWalker stacks(trace_, 1024);
    ReplayTracker replays(trace_, stacks, 1024);
    EXPECT_TRUE(replays.any());
    std::vector<std::pair<std::optional<StackMeaning>, std::uint64_t>> found;
    const auto work = trace_.gpu_work(TraceReader::Work::kKernels);
    while (const GpuRow* row = work->next()) {
      replays.advance(*row);
      const StackMeaning launch = stacks.meaning(row->launched ? row->stack : 0);
      const StackMeaning* const meaning = replays.enter(*row, launch);
      found.emplace_back(meaning == nullptr ? std::nullopt : std::optional(*meaning),
                         replays.first_id());
    }
    unknown_ = replays.unknown();
    return found;
  }

  const std::uint64_t first_node_ = FakeTrace::node_id(1, 0);
  const std::uint64_t second_node_ = FakeTrace::node_id(1, 1);
  FakeTrace trace_;
  std::uint64_t unknown_ = 0;
};

TEST_F(Replays, EachReplayHasIdsOfItsOwn) {
  make(first_node_, kTorchLinear);
  make(second_node_, kTorchLinear);
  for (int i = 0; i < 2; ++i) {
    trace_.launch_graph();
    trace_.replay(first_node_, kSgemm);
    trace_.replay(second_node_, kSgemm);
    trace_.replay(first_node_, kSgemm);
  }
  const auto found = follow();
  ASSERT_EQ(found.size(), 6U);
  const std::uint64_t first = found[0].second;
  EXPECT_GE(first, ReplayIds::kFirst);
  EXPECT_EQ(found[0].first->op_id, first);
  EXPECT_EQ(found[1].first->op_id, first + 1) << "another opening of the op";
  EXPECT_EQ(found[2].first->op_id, first) << "the same node";
  EXPECT_EQ(found[3].second, first + 2) << "another replay";
  EXPECT_EQ(found[3].first->op_id, first + 2);
  EXPECT_EQ(found[3].first->call_id, first + 2);
}

TEST_F(Replays, TheStepIsThatOfTheLaunch) {
  make(first_node_, kTorchLinear);
  trace_.push("step:5");
  trace_.launch_graph();
  trace_.replay(first_node_, kSgemm);
  const auto found = follow();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first->step.value().number, 5);
  EXPECT_EQ(found[0].first->owner_end_ns, INT64_MAX) << "that of the capture is past";
}

TEST_F(Replays, OtherWorkAndUnknownNodesMeanWhatTheirLaunchDoes) {
  make(first_node_, kTorchLinear);
  trace_.kernel(kSgemm);
  trace_.launch_graph();
  trace_.replay(FakeTrace::node_id(7, 3), kSgemm);
  const auto found = follow();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0].first);
  EXPECT_FALSE(found[1].first);
  EXPECT_EQ(unknown_, 1U);
}

}  // namespace
}  // namespace prof
