// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Several ranks: which collectives are the same, who waits for whom, how far clocks differ, and why
// a rank is late.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analyzers/ranks/alignment.hpp"
#include "analyzers/ranks/blame.hpp"
#include "analyzers/ranks/clocks.hpp"
#include "analyzers/ranks/join.hpp"
#include "analyzers/ranks/own_line.hpp"
#include "analyzers/ranks/pipeline.hpp"
#include "analyzers/ranks/usual_step.hpp"
#include "tests/unit/analyzers/stated_ranks.hpp"

namespace prof::ranks {
namespace {

using Waits = std::vector<std::int64_t>;

TEST_F(Ranks, CollectivesMatchBySequenceWhateverTheirPlaceInTheFile) {
  make(2);
  for (std::uint64_t sequence = 4; sequence < 8; ++sequence) {
    call(0, {.duration_us = 500, .sequence = sequence});
  }
  for (std::uint64_t sequence = 6; sequence < 10; ++sequence) call(1, {.sequence = sequence});
  const JoinedRun run = join();
  ASSERT_EQ(run.collectives.size(), 2U);
  EXPECT_EQ(run.collectives[0].sequence, 6);
  EXPECT_EQ(run.unmatched, 4U);
  EXPECT_EQ(run.aligned, 0U);
  EXPECT_FALSE(run.collectives[0].is_estimated);
  EXPECT_TRUE(run.collectives[0].is_whole);
  EXPECT_EQ(waits_us(run, 0), (Waits{400, 0}));
  EXPECT_EQ(run.collectives[0].transfer_ns, 100 * kUs);
  EXPECT_EQ(run.collectives[0].last, 1U);
}

TEST_F(Ranks, CommunicatorsAreToldApart) {
  make(2);
  call(0, {.sequence = 1, .communicator = 7});
  call(1, {.sequence = 1, .communicator = 8});
  EXPECT_TRUE(join().collectives.empty());
}

TEST_F(Ranks, NumbersThatCallsShareSayNothing) {
  make(2);
  for (std::int64_t step = 0; step < 3; ++step) {
    for (const std::size_t rank : {0U, 1U}) call(rank, {.sequence = 5, .step = step});
  }
  const JoinedRun run = join();
  ASSERT_EQ(run.collectives.size(), 3U);
  EXPECT_TRUE(run.collectives[0].is_estimated);
}

TEST_F(Ranks, WithoutSequencesStepsSayWhichAreTheSame) {
  make(2, 1);  // no common clock
  for (std::int64_t step = 0; step < 5; ++step) {
    for (int i = 0; i < 2; ++i) {
      call(0, {.duration_us = 300 + step, .step = step});
      if (step >= 2) call(1, {.step = step});
    }
  }
  const JoinedRun run = join();
  ASSERT_EQ(run.collectives.size(), 6U);
  EXPECT_TRUE(run.collectives[0].is_estimated);
  EXPECT_EQ(waits_us(run, 0), (Waits{202, 0}));
}

TEST_F(Ranks, OnOneHostTheTimesSayWhichAreTheSame) {
  make(2);
  for (std::int64_t i = 0; i < 6; ++i) call(0, {.start_us = 1000 * i, .duration_us = 400 + i});
  for (std::int64_t i = 3; i < 6; ++i) call(1, {.start_us = 1000 * i + 300});
  const JoinedRun run = join();
  ASSERT_EQ(run.collectives.size(), 3U);
  EXPECT_EQ(waits_us(run, 0), (Waits{303, 0}));
}

TEST_F(Ranks, CallsThatDifferAreNotTheSame) {
  make(2);
  for (std::int64_t i = 0; i < 4; ++i) {
    call(0, {.start_us = 1000 * i});
    call(1, {.op = "all_gather", .start_us = 1000 * i});
  }
  const JoinedRun run = join();
  EXPECT_TRUE(run.collectives.empty());
  EXPECT_EQ(run.unmatched, 8U);
}

TEST(Alignment, TheLongestAgreementDecidesWhereNothingElseDoes) {
  const auto made = [](std::initializer_list<std::uint64_t> kinds) {
    std::vector<AlignedCall> calls;
    for (const std::uint64_t what : kinds) calls.emplace_back().what = what;
    return calls;
  };
  const std::vector<AlignedCall> of = made({1, 2, 3, 4, 5, 6});
  const std::vector<AlignedCall> calls = made({3, 4, 5, 6, 9});
  EXPECT_EQ(shift_between(of, calls, false), 2);
  EXPECT_EQ(shift_between(calls, of, false), -2);
  EXPECT_EQ(shift_between(of, made({7, 8}), false), std::nullopt);
}

TEST_F(Ranks, ABroadcastWaitsForItsRootAlone) {
  make(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    call(rank, {.op = "broadcast",
                .duration_us = 100 + 50 * static_cast<std::int64_t>(rank),
                .sequence = 1,
                .root = 1});
  }
  const JoinedRun run = join();
  EXPECT_EQ(waits_us(run, 0), (Waits{0, 0, 100}));
  EXPECT_EQ(run.collectives[0].last, 1U);
}

TEST_F(Ranks, TheRootOfAReductionWaitsForTheLast) {
  make(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    call(rank, {.op = "reduce",
                .duration_us = 300 - 100 * static_cast<std::int64_t>(rank),
                .sequence = 1,
                .root = 0});
  }
  const JoinedRun run = join();
  EXPECT_EQ(waits_us(run, 0), (Waits{200, 0, 0}));
  EXPECT_EQ(run.collectives[0].last, 2U);
}

TEST_F(Ranks, UnequalSizesTakeTheirOwnTime) {
  make(2);
  call(0, {.op = "all_to_all", .duration_us = 150, .sequence = 1, .bytes = 1e6});
  call(1, {.op = "all_to_all", .duration_us = 200, .sequence = 1, .bytes = 2e6});
  const JoinedRun run = join();
  EXPECT_EQ(run.collectives[0].rule, WaitRule::kSizes);
  EXPECT_TRUE(run.collectives[0].is_estimated);
  EXPECT_EQ(waits_us(run, 0), (Waits{50, 0})) << "1 MB takes half of what 2 MB do";
  EXPECT_EQ(run.collectives[0].last, 1U);
}

TEST_F(Ranks, SendsMatchTheReceivesOfTheirPeer) {
  make(3);
  for (std::int64_t step = 0; step < 3; ++step) {
    call(0, {.op = "send", .duration_us = 300, .step = step, .peer = 1});
    call(1, {.op = "recv", .duration_us = 100, .step = step, .peer = 0});
    call(1, {.op = "send", .duration_us = 100, .step = step, .peer = 2});
    call(2, {.op = "recv", .duration_us = 900, .step = step, .peer = 1});
  }
  const JoinedRun run = join();
  ASSERT_EQ(run.collectives.size(), 6U);
  EXPECT_EQ(waits_us(run, 0), (Waits{200, 0}));
  EXPECT_EQ(waits_us(run, 5), (Waits{0, 800}));
}

TEST_F(Ranks, EachOpIsNumberedByItself) {
  make(2);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto start_us = static_cast<std::int64_t>(i) * 1000;
    call(0, {.start_us = start_us, .duration_us = 150, .sequence = 40 + i});
    // The window of the other rank begins one step later.
    if (i > 0) call(1, {.start_us = start_us + 50, .duration_us = 100, .sequence = 40 + i});
    call(0, {.op = "all_gather", .start_us = start_us + 500, .sequence = 41 + i});
    if (i > 0) call(1, {.op = "all_gather", .start_us = start_us + 500, .sequence = 41 + i});
  }
  const JoinedRun run = join();
  ASSERT_EQ(run.collectives.size(), 4U);
  EXPECT_EQ(run.aligned, 0U);
  EXPECT_EQ(run.unmatched, 2U);
  std::map<std::string, std::vector<std::int64_t>> sequences;
  for (std::size_t i = 0; i < run.collectives.size(); ++i) {
    const JoinedCollective& one = run.collectives[i];
    sequences[run.place_of(run.of(one).front()).op].push_back(one.sequence);
    const bool is_first = run.place_of(run.of(one).front()).op == "all_reduce";
    EXPECT_EQ(waits_us(run, i), is_first ? (Waits{50, 0}) : (Waits{0, 0}));
  }
  EXPECT_EQ(sequences["all_reduce"], (std::vector<std::int64_t>{41, 42}));
  EXPECT_EQ(sequences["all_gather"], (std::vector<std::int64_t>{42, 43}));
}

TEST_F(Ranks, OpsWithoutNumbersAreAlignedBesideOthers) {
  make(2);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto start_us = static_cast<std::int64_t>(i) * 1000;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      call(rank, {.start_us = start_us, .sequence = i});
      call(rank, {.op = "all_to_all", .start_us = start_us + 500});
    }
  }
  const JoinedRun run = join();
  EXPECT_EQ(run.collectives.size(), 8U);
  EXPECT_EQ(run.aligned, 4U);
  EXPECT_EQ(run.unmatched, 0U);
}

TEST_F(Ranks, ClocksOfHostsFollowFromEndsWithTheirSpreadAndDrift) {
  make(4, 2);
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> noise(-3, 3);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto start_us = static_cast<std::int64_t>(i) * 1000;
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const std::int64_t ahead_us = rank < 2 ? 0 : 5000 + start_us / 10'000;
      call(rank, {.start_us = start_us + ahead_us + noise(random), .sequence = i});
    }
  }
  const std::vector<HostClock> clocks = host_clocks(join());
  ASSERT_EQ(clocks.size(), 2U);
  EXPECT_EQ(clocks[0].offset_ns, 0);
  EXPECT_TRUE(clocks[1].is_known);
  EXPECT_NEAR(clocks[1].offset_ns, 5'010 * kUs, 3 * clocks[1].spread_ns);
  EXPECT_LT(clocks[1].spread_ns, 5 * kUs);
  EXPECT_NEAR(clocks[1].drift, 1e-4, 1e-5);
}

TEST_F(Ranks, ClocksOfHostsAreKnownThroughOtherHosts) {
  make(3, 1);
  constexpr std::array<std::int64_t, 3> kAheadUs = {0, 500, -300};
  for (std::uint64_t i = 0; i < 8; ++i) {
    const auto start_us = static_cast<std::int64_t>(i) * 1000;
    // The first host and the third are never in the same collective.
    for (const std::uint64_t communicator : {1U, 2U}) {
      for (const std::size_t rank : {communicator - 1, communicator}) {
        call(rank,
             {.start_us = start_us + 400 * static_cast<std::int64_t>(communicator) + kAheadUs[rank],
              .sequence = i,
              .communicator = communicator});
      }
    }
  }
  const std::vector<HostClock> clocks = host_clocks(join());
  ASSERT_EQ(clocks.size(), 3U);
  for (std::size_t host = 0; host < 3; ++host) {
    EXPECT_TRUE(clocks[host].is_known);
    EXPECT_EQ(clocks[host].offset_ns, static_cast<double>(kAheadUs[host] * kUs));
  }
}

TEST_F(Ranks, ClocksWithoutCommonCollectivesAreUnknown) {
  make(2, 1);
  call(0, {.sequence = 1, .communicator = 1});
  call(1, {.sequence = 1, .communicator = 2});
  EXPECT_FALSE(host_clocks(join())[1].is_known);
}

/// Four ranks whose steps are those of a model with noise; rank 1 waits for nobody and all for it.
class Causes : public Ranks {
 protected:
  static constexpr std::size_t kRanks = 4;
  const Place kUp = {"blocks.2.up", "linear", Direction::kFprop};
  const Place kDown = {"blocks.2.down", "linear", Direction::kFprop};
  const Place kNorm = {"blocks.2.norm", "layer_norm", Direction::kFprop};

  using Change = std::function<void(std::size_t rank, std::int64_t step)>;
  JoinedRun run(const Change& change) {
    make(kRanks);
    std::mt19937 random(3);
    std::normal_distribution<double> noise(1, 0.02);
    for (std::int64_t step = 0; step < 12; ++step) {
      for (std::size_t rank = 0; rank < kRanks; ++rank) {
        for (int i = 0; i < 20; ++i) {
          const Place place = {"blocks.0." + std::to_string(i), "linear", Direction::kFprop};
          piece(rank, place, Activity::kKernels, 100 * speed_[rank] * noise(random), 1e9);
          piece(rank, place, Activity::kIdle, 3 * noise(random));
          piece(rank, place, Activity::kLaunching, 6 * noise(random));
        }
        for (const Place& place : {kUp, kDown, kNorm}) {
          piece(rank, place, Activity::kKernels, 300 * speed_[rank] * noise(random), 4e9);
          piece(rank, place, Activity::kIdle, 3 * noise(random));
          piece(rank, place, Activity::kLaunching, 6 * noise(random));
        }
        change(rank, step);
        end_step(rank, step);
        call(rank, {.start_us = step * 10'000,
                    .duration_us = rank == 1 ? 100 : 2100,
                    .sequence = static_cast<std::uint64_t>(step),
                    .step = step});
      }
    }
    return join();
  }
  std::vector<double> speed_ = std::vector<double>(kRanks, 1);
};

TEST_F(Causes, NothingIsNamedWhereRanksDifferByChance) {
  const Blame blame = find_blame(run([](std::size_t, std::int64_t) {}));
  for (const RankBlame& rank : blame.ranks) EXPECT_TRUE(rank.causes.empty());
  EXPECT_NEAR(blame.ranks[1].longest_ns, 2000 * kUs, kUs);
  EXPECT_NEAR(blame.ranks[1].waited_for_ns, 6000 * kUs, kUs);
  EXPECT_EQ(blame.ranks[1].last_pct, 100);
  EXPECT_EQ(blame.ranks[0].longest_ns, 0);
}

TEST_F(Causes, AHostThatSleepsIsNamedWithThePlace) {
  const auto causes = find_causes(run([&](std::size_t rank, std::int64_t) {
    if (rank != 1) return;
    piece(rank, kNorm, Activity::kIdle, 1900);
    piece(rank, kNorm, Activity::kLaunching, 2000);
  }));
  ASSERT_EQ(causes[1].size(), 1U);
  EXPECT_EQ(causes[1][0].kind, CauseKind::kHost);
  EXPECT_EQ(causes[1][0].place, kNorm);
  EXPECT_NEAR(causes[1][0].excess_ns, 1900 * kUs, 10 * kUs);
  for (const std::size_t other : {0U, 2U, 3U}) EXPECT_TRUE(causes[other].empty());
}

TEST_F(Causes, IdleTimeAloneIsNoCause) {
  // A rank that is waited for shows the host's usual time as idle time.
  const auto causes = find_causes(run([&](std::size_t rank, std::int64_t) {
    if (rank == 1) piece(rank, kNorm, Activity::kIdle, 1900);
  }));
  EXPECT_TRUE(causes[1].empty());
}

TEST_F(Causes, WorkSizesAndCopiesAreToldApart) {
  const auto causes = find_causes(run([&](std::size_t rank, std::int64_t) {
    if (rank == 0) piece(rank, kUp, Activity::kKernels, 2000, 4e9 * 7, 7);  // seven times more
    if (rank == 1) piece(rank, kDown, Activity::kKernels, 900, 12e9, 0);    // four times as large
    if (rank == 2) piece(rank, {"inputs", "copy", Direction::kNone}, Activity::kCopies, 1500);
  }));
  ASSERT_EQ(causes[0].size(), 1U);
  EXPECT_EQ(causes[0][0].kind, CauseKind::kWork);
  EXPECT_EQ(causes[0][0].place, kUp);
  ASSERT_EQ(causes[1].size(), 1U);
  EXPECT_EQ(causes[1][0].kind, CauseKind::kSizes);
  EXPECT_EQ(causes[1][0].place, kDown);
  ASSERT_EQ(causes[2].size(), 1U);
  EXPECT_EQ(causes[2][0].kind, CauseKind::kCopy);
  EXPECT_EQ(causes[2][0].place.layer, "inputs");
  EXPECT_TRUE(causes[3].empty());
}

TEST_F(Causes, AllKernelsThatAreSlowerAlikeAreASlowClock) {
  speed_[2] = 1.2;
  const auto causes = find_causes(run([](std::size_t, std::int64_t) {}));
  ASSERT_EQ(causes[2].size(), 1U);
  EXPECT_EQ(causes[2][0].kind, CauseKind::kClocks);
  EXPECT_NEAR(causes[2][0].own_ns / causes[2][0].others_ns, 1.2, 0.02);
  for (const std::size_t other : {0U, 1U, 3U}) EXPECT_TRUE(causes[other].empty());
}

TEST_F(Causes, WorkBesideACollectiveCountsWhileThatWaits) {
  const JoinedRun joined = run([&](std::size_t rank, std::int64_t) {
    if (rank < 2) piece(rank, kUp, Activity::kKernels, 1500, 4e9);
  });
  for (RankSummary& summary : summaries_) {
    for (Piece& piece : summary.pieces) piece.beside_ns = static_cast<float>(piece.time_ns);
  }
  // Rank 0 waits in its collectives, rank 1 is the last one to come: there they transfer.
  const auto causes = find_causes(joined);
  ASSERT_EQ(causes[0].size(), 1U);
  EXPECT_EQ(causes[0][0].kind, CauseKind::kWork);
  EXPECT_EQ(causes[0][0].place, kUp);
  EXPECT_TRUE(causes[1].empty());
}

TEST_F(Causes, WhatTheFirstStageOfAPipelineAloneDoesIsNoCause) {
  const auto copies_inputs = [&](std::size_t rank, std::int64_t) {
    if (rank == 0) piece(rank, {"inputs", "copy", Direction::kNone}, Activity::kCopies, 1500);
  };
  EXPECT_EQ(find_causes(run(copies_inputs))[0].size(), 1U) << "of four ranks with the same part";
  summaries_.clear();
  run_ = {};
  const auto causes = find_causes(run([&](std::size_t rank, std::int64_t step) {
    copies_inputs(rank, step);
    const auto peer = static_cast<std::int32_t>(rank);
    if (rank > 0) call(rank, {.op = "recv", .step = step, .peer = peer - 1});
    if (rank + 1 < kRanks) call(rank, {.op = "send", .step = step, .peer = peer + 1});
  }));
  EXPECT_TRUE(causes[0].empty());
}

TEST_F(Causes, WorkOfOneStageAloneInALayerThatOthersHaveIsACause) {
  const Place more = {"blocks.2.up", "mm", Direction::kFprop};
  const Place loss = {"head", "mm", Direction::kFprop};  // unlike layers: the last stage's
  std::int64_t period = 1;
  const auto change = [&](std::size_t rank, std::int64_t step) {
    if (rank == 3) piece(rank, loss, Activity::kKernels, 400, 1e9);
    if (rank == 2 && step % period == 0) piece(rank, more, Activity::kKernels, 400, 1e9);
    const auto peer = static_cast<std::int32_t>(rank);
    if (rank > 0) call(rank, {.op = "recv", .step = step, .peer = peer - 1});
    if (rank + 1 < kRanks) call(rank, {.op = "send", .step = step, .peer = peer + 1});
  };
  const auto causes = find_causes(run(change));
  ASSERT_EQ(causes[2].size(), 1U);
  EXPECT_EQ(causes[2][0].kind, CauseKind::kWork);
  EXPECT_EQ(causes[2][0].place, more);
  EXPECT_TRUE(causes[0].empty() && causes[1].empty() && causes[3].empty());
  summaries_.clear();
  run_ = {};
  period = 4;
  EXPECT_TRUE(find_causes(run(change))[2].empty()) << "in one step of four";
}

TEST_F(Ranks, StagesAreInTheOrderOfTheForwardPass) {
  make(3);
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t at_us = 10'000 * step;
    // Rank 2 has the first stage, rank 0 the second, rank 1 the last; two microbatches.
    for (const std::int64_t copy : {0, 200}) {
      const std::int64_t us = at_us + copy;
      call(2, {.op = "send", .start_us = us, .step = step, .peer = 0});
      call(0, {.op = "recv", .start_us = us, .step = step, .peer = 2});
      call(0, {.op = "send", .start_us = us + 100, .step = step, .peer = 1});
      call(1, {.op = "recv", .start_us = us - 400, .duration_us = 600, .step = step, .peer = 0});
      call(1, {.op = "send", .start_us = us + 2000, .step = step, .peer = 0});
      call(0, {.op = "recv", .start_us = us + 2000, .step = step, .peer = 1});
    }
    for (std::size_t rank = 0; rank < 3; ++rank) {
      piece(rank, {"", "adam", Direction::kUpdate}, Activity::kKernels, 500);
      end_step(rank, step);
      auto& state_ns = summaries_[rank].steps.back().state_ns;
      state_ns[static_cast<std::size_t>(DeviceState::kComputing)] =
          rank == 0 ? 4500 * kUs : 2500 * kUs;
    }
  }
  const JoinedRun run = join();
  const std::vector<Stage> stages = find_stages(run, find_blame(run));
  ASSERT_EQ(stages.size(), 3U);
  const std::uint32_t order[] = {2, 0, 1};
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(stages[i].rank, order[i]);
    EXPECT_EQ(stages[i].stage, i);
    EXPECT_EQ(stages[i].stages, 3U);
    EXPECT_EQ(stages[i].microbatches, 2);
    EXPECT_NEAR(stages[i].least_bubble(), 0.5, 1e-9);
  }
  EXPECT_NEAR(stages[2].before_ns, 700 * kUs, kUs) << "500 us, and 200 us that are not in these";
  EXPECT_EQ(stages[2].after_ns, 0);
  EXPECT_NEAR(stages[0].microbatch_ns(), 1000 * kUs, 1);
  EXPECT_NEAR(stages[1].microbatch_ns(), 2000 * kUs, 1);
  const std::optional<LongestStage> longest = longest_stage(stages);
  ASSERT_TRUE(longest);
  EXPECT_EQ(longest->stage.rank, 0U);
  EXPECT_NEAR(longest->above_mean, 4500.0 / ((4500 + 2500 + 2500) / 3.0) - 1, 1e-9);
  EXPECT_NEAR(longest->least_ns, (2000 + 4000 + 500) * kUs, 1) << "one more after the first passed";
  EXPECT_NEAR(longest->balanced_ns, (4 * 4000 / 3.0 + 500) * kUs, 1);
  EXPECT_FALSE(longest_stage(std::span(stages).first(1))) << "as long as the mean of one";
}

TEST(OwnLine, ACollectiveMayFollowOneOfAnotherStream) {
  OwnLine line(nullptr);
  RankSummary summary;
  const auto add = [&](std::int64_t launch_us, std::int64_t start_us, std::int64_t end_us,
                       std::uint32_t stream) {
    OwnLine::Launched made{.start_ns = start_us * kUs,
                           .end_ns = end_us * kUs,
                           .launch_ns = launch_us * kUs,
                           .call_ns = kUs,
                           .stream = stream,
                           .is_collective = stream != 7};
    line.launch(made);
    if (!made.is_collective) {
      line.begin_own(made, kNever);
      return;
    }
    const auto index = static_cast<std::uint32_t>(summary.collectives.size());
    line.begin_collective(made, summary.collectives.emplace_back(), index);
  };
  add(0, 10, 100, 7);
  add(2, 100, 400, 20);
  add(4, 101, 200, 21);   // after own work, beside the first
  add(6, 403, 500, 22);   // after the first
  add(8, 900, 1000, 23);  // long after all
  const std::vector<RankCollective>& made = summary.collectives;
  EXPECT_EQ(made[0].follows, kNoCollective);
  EXPECT_EQ(made[1].follows, kNoCollective);
  EXPECT_EQ(made[2].follows, 0U);
  EXPECT_EQ(made[3].follows, kNoCollective);
}

TEST_F(Ranks, AStepUnlikeThoseOfTheOthersIsUnusual) {
  std::vector<UsualStep> steps(8);
  for (std::size_t rank = 0; rank < steps.size(); ++rank) {
    steps[rank] = {.steps = 10, .period_ns = 1e7, .mean_period_ns = 1e7};
    steps[rank].state_ns = {8e6 + 1e4 * static_cast<double>(rank), 0, 0, 1e5};
  }
  steps[5].state_ns[static_cast<std::size_t>(DeviceState::kIdle)] = 1e6;
  const auto unusual = find_unusual(steps);
  for (std::size_t rank = 0; rank < steps.size(); ++rank) {
    EXPECT_EQ(unusual[rank].size(), rank == 5 ? 1U : 0U);
  }
  EXPECT_EQ(unusual[5][0].measure->word, "idle");
  EXPECT_NEAR(unusual[5][0].own, 10, 1e-9);
  EXPECT_NEAR(unusual[5][0].others, 1, 1e-9);
  EXPECT_TRUE(find_unusual(std::span(steps).subspan(3, 3))[2].empty()) << "of three";
}

TEST_F(Ranks, CollectivesThatWaitAtTheSameTimeCountOnce) {
  make(2);
  for (std::int64_t step = 0; step < 4; ++step) {
    const auto sequence = static_cast<std::uint64_t>(step);
    const std::int64_t start_us = 10'000 * step;
    for (const std::uint64_t communicator : {1U, 2U}) {
      call(0, {.start_us = start_us,
               .duration_us = 3100,
               .sequence = sequence,
               .step = step,
               .communicator = communicator});
      call(1, {.start_us = start_us + 3000,
               .sequence = sequence,
               .step = step,
               .communicator = communicator});
    }
    for (std::size_t rank = 0; rank < 2; ++rank) end_step(rank, step);
  }
  EXPECT_NEAR(find_blame(join()).ranks[1].longest_ns, 3000 * kUs, kUs);
}

TEST_F(Ranks, ARankThatWaitedItselfPassesTheBlameOn) {
  make(3);
  for (std::int64_t step = 0; step < 4; ++step) {
    const auto sequence = static_cast<std::uint64_t>(step);
    const std::int64_t start_us = 10'000 * step;
    // Rank 2 is late for rank 1, which is then late for rank 0.
    call(1, {.start_us = start_us,
             .duration_us = 2100,
             .sequence = sequence,
             .step = step,
             .communicator = 1});
    call(2, {.start_us = start_us + 2000, .sequence = sequence, .step = step, .communicator = 1});
    call(0, {.start_us = start_us,
             .duration_us = 2100,
             .sequence = sequence,
             .step = step,
             .communicator = 2});
    call(1, {.start_us = start_us + 2000, .sequence = sequence, .step = step, .communicator = 2});
    for (std::size_t rank = 0; rank < 3; ++rank) end_step(rank, step);
  }
  const Blame blame = find_blame(join());
  EXPECT_EQ(blame.ranks[1].longest_ns, 0);
  EXPECT_NEAR(blame.ranks[2].waited_for_ns, 4000 * kUs, kUs);
}

}  // namespace
}  // namespace prof::ranks
