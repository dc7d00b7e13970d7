// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How long GPUs wait for each other, from the durations of their collectives.
#include "tools/report/advice/facts/rank_waits.hpp"

#include <gtest/gtest.h>

#include <array>

namespace prof::reports {
namespace {

class RankWaitsTest : public testing::Test {
 protected:
  RankWaitsTest() {
    for (std::uint32_t rank = 0; rank < 3; ++rank) ranks_[rank].rank = rank;
  }

  /// An all_reduce of 1 MB on that many GPUs.
  void reduce(std::size_t rank, std::int64_t step, std::int64_t duration_ns, double gpus = 3,
              double bytes = 1e6) {
    Quantities cost;
    cost.algorithm_bytes = bytes;
    cost.bus_bytes = bytes * 2 * (gpus - 1) / gpus;
    waits_.add({&ranks_[rank], 0}, step, "all_reduce", cost, duration_ns);
  }
  RankWait of(std::size_t rank) {
    std::map<DeviceOfTrace, double> exposed;
    for (const TraceIdentity& one : ranks_) exposed[{&one, 0}] = 900;
    return waits_.finish(exposed)[{&ranks_[rank], 0}];
  }

  std::array<TraceIdentity, 3> ranks_;
  RankWaits waits_;
};

TEST_F(RankWaitsTest, TheLastToComeSpendsTheLeastTime) {
  for (const std::int64_t step : {4, 5}) {
    reduce(0, step, 700);
    reduce(1, step, 100);
    reduce(2, step, 400);
    reduce(0, step, 50);
    reduce(1, step, 50);
    reduce(2, step, 80);
  }
  EXPECT_EQ(of(0).gpus, 3U);
  EXPECT_DOUBLE_EQ(of(0).collectives, 2);
  EXPECT_DOUBLE_EQ(of(0).own_ns, 600);
  EXPECT_DOUBLE_EQ(of(1).own_ns, 0);
  EXPECT_DOUBLE_EQ(of(2).own_ns, 330);
  EXPECT_DOUBLE_EQ(of(2).mean_ns, 310);
  EXPECT_DOUBLE_EQ(of(2).exposed_ns, 900);
  EXPECT_TRUE(of(1).is_slowest);
  EXPECT_FALSE(of(0).is_slowest || of(2).is_slowest);
}

TEST_F(RankWaitsTest, OnlyCollectivesOfAllGpusCompare) {
  reduce(0, 1, 700, 2);  // of two of them
  reduce(1, 1, 100, 2);
  reduce(2, 1, 100, 2);
  reduce(0, 1, 700, 3, 5e6);  // one GPU lacks it
  reduce(1, 1, 100, 3, 5e6);
  reduce(0, 2, 700, 3, 6e6);  // another number of them
  reduce(0, 2, 700, 3, 6e6);
  reduce(1, 2, 100, 3, 6e6);
  reduce(2, 2, 100, 3, 6e6);
  EXPECT_EQ(of(0).gpus, 0U);
}

TEST_F(RankWaitsTest, TracesThatAreNoRanksOfOneRunDoNotCompare) {
  for (std::size_t rank = 0; rank < 3; ++rank) reduce(rank, 1, rank == 0 ? 100 : 700);
  EXPECT_EQ(of(0).gpus, 3U);
  ranks_[2].rank = 1;
  EXPECT_EQ(of(0).gpus, 0U) << "two of the same rank: two runs";
  ranks_[2].rank = {};
  EXPECT_EQ(of(0).gpus, 0U);
  ranks_[2].rank = 2;
  ranks_[2].run = "another";
  EXPECT_EQ(of(0).gpus, 0U) << "two of three";
}

TEST_F(RankWaitsTest, OpsInWhichSomeNeedNotWaitDoNotCompare) {
  Quantities cost;
  cost.algorithm_bytes = cost.bus_bytes = 1e6;
  for (const TraceIdentity& rank : ranks_) waits_.add({&rank, 0}, 1, "broadcast", cost, 500);
  EXPECT_EQ(of(0).gpus, 0U);
}

}  // namespace
}  // namespace prof::reports
