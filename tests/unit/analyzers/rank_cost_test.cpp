// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a slow rank costs, on a step whose times are computed here: a forward pass, a backward pass
// whose all-reduces run beside it, and an optimizer that waits for the last one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "analyzers/ranks/blame.hpp"
#include "analyzers/ranks/join.hpp"
#include "analyzers/ranks/own_line.hpp"

namespace prof::ranks {
namespace {

class RankCost : public testing::Test {
 protected:
  static constexpr std::int64_t kMicrosecond = 1'000;
  static constexpr std::size_t kLayers = 4;
  static constexpr std::size_t kForward = 32;  // kernels
  static constexpr std::size_t kSteps = 8;

  /// What a rank needs more than it would, in us.
  struct Late {
    double host_us = 0, forward_us = 0, backward_us = 0;  // backward: in the first layer's
  };

  struct Made {
    JoinedRun run;
    double step_ns = 0;
  };

  /// Times of one rank.
  struct Rank {
    std::int64_t host_ns = 0, gpu_ns = 0, stream_ns = 0;
    std::vector<std::pair<OwnLine::Launched, std::int64_t>> works = {};  // with the step
  };

  static std::int64_t ns(double us) { return static_cast<std::int64_t>(us * kMicrosecond); }

  static OwnLine::Launched& launch(Rank& rank, std::int64_t step, std::int64_t start_ns,
                                   std::int64_t time_ns, bool is_collective = false) {
    OwnLine::Launched made;
    made.launch_ns = rank.host_ns += ns(4);
    made.call_ns = ns(2);
    made.start_ns = std::max(start_ns, made.launch_ns + ns(3));
    made.end_ns = made.start_ns + time_ns;
    made.stream = is_collective ? 20 : 7;
    made.is_collective = is_collective;
    if (!is_collective) rank.gpu_ns = made.end_ns;
    rank.works.emplace_back(made, step);
    return rank.works.back().first;
  }

  /// `transfer_us`: of each all-reduce.
  Made make(const std::vector<Late>& late, double transfer_us = 150) {
    std::vector<Rank> ranks(late.size());
    std::mt19937 random(7);
    std::normal_distribution<double> noise(1, 0.01);
    const auto time = [&](double us, double more_us) { return ns(us * noise(random) + more_us); };
    std::vector<std::int64_t> ends;
    for (std::int64_t step = 0; step < static_cast<std::int64_t>(kSteps); ++step) {
      std::vector<std::vector<std::size_t>> collectives(kLayers);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        Rank& rank = ranks[i];
        rank.host_ns = std::max(rank.host_ns, rank.gpu_ns) + ns(20) + time(0, late[i].host_us);
        for (std::size_t kernel = 0; kernel < kForward; ++kernel) {
          launch(rank, step, rank.gpu_ns, time(25, kernel == 0 ? late[i].forward_us : 0));
        }
        for (std::size_t layer = 0; layer < kLayers; ++layer) {
          launch(rank, step, rank.gpu_ns, time(400, layer == 0 ? late[i].backward_us : 0));
          collectives[layer].push_back(rank.works.size());
          launch(rank, step, rank.gpu_ns, 0, true);
        }
      }
      for (std::size_t layer = 0; layer < kLayers; ++layer) {
        std::int64_t last_ns = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
          OwnLine::Launched& one = ranks[i].works[collectives[layer][i]].first;
          one.start_ns = std::max(one.start_ns, ranks[i].stream_ns);
          last_ns = std::max(last_ns, one.start_ns);
        }
        for (std::size_t i = 0; i < ranks.size(); ++i) {
          OwnLine::Launched& one = ranks[i].works[collectives[layer][i]].first;
          ranks[i].stream_ns = one.end_ns = last_ns + ns(transfer_us);
        }
      }
      for (Rank& rank : ranks) {
        launch(rank, step, std::max(rank.gpu_ns, rank.stream_ns) + ns(2), time(200, 0));
      }
      ends.push_back(ranks.front().gpu_ns);
    }
    Made made;
    made.step_ns = static_cast<double>(ends.back() - ends[1]) / (kSteps - 2);
    for (std::uint32_t i = 0; i < ranks.size(); ++i) add(i, ranks[i]);
    made.run = join(run_, summaries_);
    return made;
  }

  void add(std::uint32_t number, const Rank& rank) {
    TraceIdentity& trace = traces_.emplace_back();
    trace.rank = number;
    RankSummary& summary = summaries_.emplace_back();
    summary.places.push_back({"", "all_reduce", Direction::kNone});
    summary.communicators.push_back(
        {.id = 7, .ranks = static_cast<std::uint32_t>(4), .rank = number});
    OwnLine line(nullptr);
    std::vector<std::pair<OwnLine::Launched, std::int64_t>> works = rank.works;
    for (auto& [work, step] : works) line.launch(work);
    std::ranges::stable_sort(works, {}, [](const auto& one) { return one.first.start_ns; });
    std::int64_t busy_ns = kNever;
    for (const auto& [work, step] : works) {
      if (summary.steps.empty() || summary.steps.back().step != step) {
        if (!summary.steps.empty()) summary.steps.back().end_ns = work.start_ns;
        RankStep& made = summary.steps.emplace_back();
        made.step = step;
        made.begin_ns = work.start_ns;
        made.end_ns = work.end_ns;
        made.is_whole = step + 1 < static_cast<std::int64_t>(kSteps);
        made.is_steady = made.is_whole && !unsteady_.contains({number, step});
      }
      if (!work.is_collective) {
        line.begin_own(work, busy_ns);
        busy_ns = std::max(busy_ns, work.end_ns);
        continue;
      }
      RankCollective made;
      made.start_ns = work.start_ns;
      made.end_ns = work.end_ns;
      made.sequence = summary.collectives.size();
      made.step = step;
      made.bytes = 1e6;
      line.begin_collective(work, made, static_cast<std::uint32_t>(summary.collectives.size()));
      summary.collectives.push_back(made);
    }
    line.finish(summary);
    ranks::RankId& id = run_.ranks.emplace_back();
    id.trace = &trace;
    id.summary = number;
    id.rank = number;
  }

  /// By rank, in us, of the planted run and of a clean one.
  void check(const std::vector<Late>& late, const std::vector<bool>& is_named) {
    const Made clean = make(std::vector<Late>(late.size()));
    traces_.clear();
    summaries_.clear();
    run_ = on_one_host();
    const Made made = make(late);
    const Blame blame = find_blame(made.run);
    for (std::size_t i = 0; i < late.size(); ++i) {
      const double expected = is_named[i] ? made.step_ns - clean.step_ns : 0;
      EXPECT_NEAR(blame.ranks[i].cost_ns, expected, 0.05 * expected) << "rank " << i;
    }
  }

  static ranks::Run on_one_host() {
    ranks::Run run;
    run.hosts = {"node0"};
    return run;
  }

  std::set<std::pair<std::uint32_t, std::int64_t>> unsteady_;  // ranks and steps
  std::deque<TraceIdentity> traces_;
  std::vector<RankSummary> summaries_;
  ranks::Run run_ = on_one_host();
};

TEST_F(RankCost, NobodyIsNamedWhereAllAreAlike) { check({{}, {}, {}, {}}, {0, 0, 0, 0}); }

TEST_F(RankCost, ALateRankCostsWhatItsWorkTakesLongerThoughOthersWaitBehindTheirOwn) {
  const Late late{.forward_us = 700};
  const std::vector<Late> ranks = {{}, {}, late, {}};
  const Blame blame = find_blame(make(ranks).run);
  // The others' waits are hidden by their backward pass: in sight is less than that.
  EXPECT_LT(blame.ranks[2].longest_ns, 0.5e6);
  EXPECT_NEAR(blame.ranks[2].cost_ns, 0.7e6, 0.02e6);
  traces_.clear();
  summaries_.clear();
  run_ = {};
  check(ranks, {0, 0, 1, 0});
}

TEST_F(RankCost, ALateHostAndLateWorkInTheBackwardPassCost) {
  check({{}, {.backward_us = 600}, {}, {}}, {0, 1, 0, 0});
  traces_.clear();
  summaries_.clear();
  run_ = {};
  check({{.host_us = 900}, {}, {}, {}}, {1, 0, 0, 0});
}

TEST_F(RankCost, AStepThatIsUnlikeTheOthersOfTheSlowRankDoesNotMakeItCheaper) {
  unsteady_ = {{0, 5}, {0, 6}};
  check({{.host_us = 900}, {}, {}, {}}, {1, 0, 0, 0});
}

TEST_F(RankCost, OfTwoRanksThatAreAsSlowEachCostsWhatItDoesWithoutTheOther) {
  const Late late{.forward_us = 700};
  check({late, {}, late, {}, {}, {}}, {1, 0, 1, 0, 0, 0});
}

TEST_F(RankCost, ASlowLinkIsNoRanksFault) {
  const Blame blame = find_blame(make({{}, {}, {}, {}}, 600).run);
  for (const RankBlame& rank : blame.ranks) EXPECT_EQ(rank.cost_ns, 0);
}

}  // namespace
}  // namespace prof::ranks
