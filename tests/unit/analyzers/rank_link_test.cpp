// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whose link is slow, and what it costs, on steps whose times are computed here: work and
// all-reduces by turns, each of these in several groups of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/ranks/blame.hpp"
#include "analyzers/ranks/join.hpp"
#include "analyzers/ranks/own_line.hpp"

namespace prof::ranks {
namespace {

using Group = std::vector<std::uint32_t>;

class RankLink : public testing::Test {
 protected:
  static constexpr std::int64_t kUs = 1'000;
  static constexpr std::int64_t kSteps = 8;
  static constexpr std::uint32_t kRanks = 8;

  /// After work of all ranks: an all-reduce in each group.
  struct Phase {
    std::vector<Group> groups;
    double bytes = 1e6;
    double transfer_us = 100;
  };
  // Two ranks that are neighbors share their tensors, four their data.
  const Phase kTensor = {{{0, 1}, {2, 3}, {4, 5}, {6, 7}}};
  const Phase kData = {{{0, 2, 4, 6}, {1, 3, 5, 7}}, 4e6, 300};

  /// How much longer the transfers of a group take.
  using Slow = std::function<double(const Group&, double bytes)>;
  static Slow of_rank(std::uint32_t rank, double factor = 3) {
    return [=](const Group& group, double) {
      return std::ranges::count(group, rank) > 0 ? factor : 1;
    };
  }

  struct Made {
    Blame blame;
    double step_ns = 0;
  };

  Made make(const std::vector<Phase>& phases, const Slow& slow) {
    ranks_.assign(kRanks, {});
    std::mt19937 random(5);
    std::normal_distribution<double> noise(1, 0.01);
    std::vector<std::int64_t> ends;
    for (std::int64_t step = 0; step < kSteps; ++step) {
      for (Rank& rank : ranks_) rank.host_ns = std::max(rank.host_ns, rank.gpu_ns) + 20 * kUs;
      for (const Phase& phase : phases) {
        for (Rank& rank : ranks_) {
          launch(rank, step, static_cast<std::int64_t>(500 * noise(random) * kUs));
        }
        for (const Group& group : phase.groups) {
          const double us = phase.transfer_us * slow(group, phase.bytes) * noise(random);
          reduce(group, step, phase.bytes, static_cast<std::int64_t>(us * kUs));
        }
      }
      ends.push_back(ranks_.front().gpu_ns);
    }
    summaries_.clear();
    traces_.clear();
    ranks::Run run;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) summarize(rank, run);
    const JoinedRun joined = join(std::move(run), summaries_);
    return {find_blame(joined), static_cast<double>(ends.back() - ends[1]) / (kSteps - 2)};
  }

  /// One finding at most, of the rank, and what the run takes longer than without it.
  void check(const std::vector<Phase>& phases, const Slow& slow, std::uint32_t rank) {
    const Made made = make(phases, slow);
    const double more_ns =
        made.step_ns - make(phases, [](const Group&, double) { return 1; }).step_ns;
    for (std::uint32_t i = 0; i < kRanks; ++i) {
      ASSERT_EQ(made.blame.ranks[i].causes.size(), i == rank ? 1U : 0U) << "rank " << i;
      EXPECT_NEAR(made.blame.ranks[i].cost_ns, i == rank ? more_ns : 0, 0.05 * more_ns);
    }
    EXPECT_EQ(made.blame.ranks[rank].causes.front().kind, CauseKind::kLink);
  }

  void check_none(const std::vector<Phase>& phases, const Slow& slow) {
    for (const RankBlame& rank : make(phases, slow).blame.ranks) {
      EXPECT_TRUE(rank.causes.empty());
      EXPECT_EQ(rank.cost_ns, 0);
    }
  }

  std::vector<std::uint32_t> hosts_ = std::vector<std::uint32_t>(kRanks, 0);

 private:
  struct Work {
    OwnLine::Launched launched;
    std::int64_t step = 0;
    Group group = {};
    double bytes = 0;
  };
  struct Rank {
    std::int64_t host_ns = 0, gpu_ns = 0;
    std::vector<Work> works = {};
  };

  static OwnLine::Launched& launch(Rank& rank, std::int64_t step, std::int64_t time_ns) {
    OwnLine::Launched made;
    made.launch_ns = rank.host_ns += 4 * kUs;
    made.call_ns = 2 * kUs;
    made.start_ns = std::max(rank.gpu_ns, made.launch_ns + 3 * kUs);
    rank.gpu_ns = made.end_ns = made.start_ns + time_ns;
    made.stream = 7;
    rank.works.push_back({.launched = made, .step = step});
    return rank.works.back().launched;
  }

  void reduce(const Group& group, std::int64_t step, double bytes, std::int64_t transfer_ns) {
    std::int64_t last_ns = 0;
    for (const std::uint32_t member : group) {
      last_ns = std::max(last_ns, launch(ranks_[member], step, 0).start_ns);
    }
    for (const std::uint32_t member : group) {
      Rank& rank = ranks_[member];
      Work& work = rank.works.back();
      work.group = group;
      work.bytes = bytes;
      work.launched.is_collective = true;
      rank.gpu_ns = work.launched.end_ns = last_ns + transfer_ns;
    }
  }

  void summarize(std::uint32_t number, ranks::Run& run) {
    TraceIdentity& trace = traces_.emplace_back();
    trace.rank = number;
    RankSummary& summary = summaries_.emplace_back();
    summary.places.push_back({"", "all_reduce", Direction::kNone});
    std::vector<Work> works = ranks_[number].works;
    OwnLine line(nullptr);
    for (Work& work : works) line.launch(work.launched);
    std::map<Group, std::pair<std::uint32_t, std::uint64_t>> groups;  // with the next sequence
    std::int64_t busy_ns = kNever;
    for (const Work& work : works) {
      const OwnLine::Launched& launched = work.launched;
      if (summary.steps.empty() || summary.steps.back().step != work.step) {
        if (!summary.steps.empty()) summary.steps.back().end_ns = launched.start_ns;
        RankStep& made = summary.steps.emplace_back();
        made.step = work.step;
        made.begin_ns = launched.start_ns;
        made.is_whole = made.is_steady = work.step + 1 < kSteps;
      }
      summary.steps.back().end_ns = launched.end_ns;
      if (!launched.is_collective) {
        line.begin_own(launched, busy_ns);
        busy_ns = std::max(busy_ns, launched.end_ns);
        continue;
      }
      const auto [group, is_new] = groups.try_emplace(
          work.group, static_cast<std::uint32_t>(summary.communicators.size()), 0);
      if (is_new) summary.communicators.push_back(communicator(work.group, number));
      RankCollective made;
      made.start_ns = launched.start_ns;
      made.end_ns = launched.end_ns;
      made.communicator = group->second.first;
      made.sequence = group->second.second++;
      made.step = work.step;
      made.bytes = work.bytes;
      line.begin_collective(launched, made, static_cast<std::uint32_t>(summary.collectives.size()));
      summary.collectives.push_back(made);
    }
    line.finish(summary);
    const std::uint32_t host = hosts_[number];
    while (run.hosts.size() <= host) run.hosts.push_back("node" + std::to_string(run.hosts.size()));
    ranks::RankId& id = run.ranks.emplace_back();
    id.trace = &trace;
    id.summary = number;
    id.rank = number;
    id.host = host;
  }

  static RankCommunicator communicator(const Group& group, std::uint32_t rank) {
    std::uint64_t id = 0;
    for (const std::uint32_t member : group) id = 10 * id + member + 1;
    const auto place = std::ranges::find(group, rank) - group.begin();
    return {.id = id,
            .ranks = static_cast<std::uint32_t>(group.size()),
            .rank = static_cast<std::uint32_t>(place)};
  }

  std::vector<Rank> ranks_;
  std::deque<TraceIdentity> traces_;
  std::vector<RankSummary> summaries_;
};

TEST_F(RankLink, IsThatOfTheRankThatAllSlowCommunicatorsHaveInCommon) {
  check({kTensor, kTensor, kData}, of_rank(5), 5);
  const Cause cause = make({kTensor, kTensor, kData}, of_rank(5)).blame.ranks[5].causes.front();
  EXPECT_NEAR(cause.own_ns, 1500 * kUs, 30 * kUs) << "thrice two of 100 us and one of 300 us";
  EXPECT_NEAR(cause.others_ns, 500 * kUs, 10 * kUs);
  EXPECT_EQ(cause.place.op, "all_reduce");
  EXPECT_FALSE(cause.is_of_host);
}

TEST_F(RankLink, IsNotNamedWhereTransfersDifferLittle) {
  check_none({kTensor, kTensor, kData}, of_rank(5, 1.2));
  check_none({kTensor, kTensor, kData}, of_rank(5, 1));
}

TEST_F(RankLink, IsNobodysWhereOneCommunicatorOfEachRankAloneIsKnown) {
  check_none({kTensor, kTensor}, of_rank(5));
  check_none({{{{0, 1, 2, 3, 4, 5, 6, 7}}}}, of_rank(5));
}

TEST_F(RankLink, IsNobodysWhereTwoRanksMayHaveIt) {
  check_none({kTensor, kTensor, kData}, [](const Group& group, double bytes) {
    return std::max(of_rank(5)(group, bytes), of_rank(2)(group, bytes));
  });
}

TEST_F(RankLink, IsNobodysWhereOnlyOneTransferIsSlow) {
  // Of a chain's last two ranks: the last one has no other transfers.
  check_none({{{{0, 1}, {2, 3}, {4, 5}}}, {{{1, 2}, {3, 4}}}}, of_rank(5));
}

TEST_F(RankLink, IsNobodysWhereAnotherRankHasSlowTransfersAlone) {
  const Phase first = {{{0, 1}, {2, 3}, {4, 5}}};
  const Phase second = {{{0, 2}, {1, 3}, {5, 7}}};
  const Phase all = {{{0, 1, 2, 3, 4, 5, 6, 7}}};  // but for which ranks would not meet
  const auto slow = [](const Group& group, double bytes) {
    return group.size() == 2 ? of_rank(5)(group, bytes) : 1;
  };
  check_none({first, second, all}, slow);
  check({first, second, {{{0, 4}, {1, 7}}}, all}, slow, 5);
}

TEST_F(RankLink, IsNobodysWhereOneOtherTransferIsKnown) {
  check_none({{{{0, 1}, {2, 3}}}, {{{0, 2}, {1, 3}}, 4e6, 300}}, of_rank(3));
}

TEST_F(RankLink, IsNotSlowBecauseMessagesGoToAnotherHost) {
  hosts_[5] = 1;
  check_none({kTensor, kTensor, kData}, of_rank(5));
}

TEST_F(RankLink, IsNotSlowIfALargerMessageIsNot) {
  const Phase large = {kTensor.groups, 8e6, 800};
  check({kTensor, large, kData}, of_rank(5), 5);
  check_none({kTensor, large, kData}, [](const Group& group, double bytes) {
    return bytes == 8e6 ? 1 : of_rank(5)(group, bytes);
  });
}

TEST_F(RankLink, IsThatOfAHostIfAllOfItsRanksHaveIt) {
  hosts_ = {0, 0, 1, 1, 2, 2, 3, 3};
  const Phase there = {{{0, 2}, {1, 3}, {4, 6}, {5, 7}}};
  const Phase on = {{{2, 4}, {3, 5}, {0, 6}, {1, 7}}};
  const Slow slow = [](const Group& group, double bytes) {
    return std::max(of_rank(4)(group, bytes), of_rank(5)(group, bytes));
  };
  const std::vector<RankBlame> ranks = make({there, on, there, on}, slow).blame.ranks;
  const RankBlame& named = ranks[ranks[4].causes.empty() ? 5 : 4];
  ASSERT_EQ(named.causes.size(), 1U);
  EXPECT_EQ(named.causes.front().kind, CauseKind::kLink);
  EXPECT_TRUE(named.causes.front().is_of_host);
  EXPECT_NEAR(named.cost_ns, 800 * kUs, 80 * kUs) << "four transfers, each longer by 200 us";
  EXPECT_TRUE(ranks[0].causes.empty() && ranks[2].causes.empty() && ranks[6].causes.empty());
}

}  // namespace
}  // namespace prof::ranks
