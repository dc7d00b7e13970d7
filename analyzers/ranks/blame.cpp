// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/blame.hpp"

#include <algorithm>

#include "analyzers/ranks/robust.hpp"
#include "analyzers/ranks/usual_step.hpp"
#include "libprof/model/times.hpp"

namespace prof::ranks {
namespace {

/// [waiting rank] -> rank that it waits for -> ns of a step.
using Waits = std::vector<std::map<std::uint32_t, double>>;

/// Each pass moves blame one rank further; longer chains are circular.
constexpr int kMostPasses = 8;

class BlameFinder {
 public:
  explicit BlameFinder(const JoinedRun& run)
      : run_(run), for_last_(run.summaries.size()), for_peer_(run.summaries.size()) {
    for (const RankSummary* summary : run.summaries) steady_.push_back(steady_steps(*summary));
  }

  Blame find() {
    Blame made;
    made.ranks.resize(run_.summaries.size());
    add_waits(made);
    auto causes = find_causes(run_);
    for (std::uint32_t rank = 0; rank < causes.size(); ++rank) {
      made.ranks[rank].causes = std::move(causes[rank]);
      made.ranks[rank].idle_ns = usual_step(*run_.summaries[rank]).idle_ns;
    }
    made.waits_for_peers = for_peer_;
    made.waits_for = passed_on(for_last_, made);
    // Stages of a pipeline always wait for each other: that is a bubble, unless one has a cause.
    const Waits peers = passed_on(for_peer_, made);
    for (std::uint32_t rank = 0; rank < peers.size(); ++rank) {
      for (const auto& [peer, time] : peers[rank]) {
        if (!made.ranks[peer].causes.empty()) made.waits_for[rank][peer] += time;
      }
    }
    for (std::uint32_t rank = 0; rank < made.waits_for.size(); ++rank) {
      for (const auto& [last, time] : made.waits_for[rank]) {
        if (last == rank) continue;  // it waited for itself, by way of others
        made.ranks[rank].waits_ns += time;
        RankBlame& blamed = made.ranks[last];
        blamed.waited_for_ns += time;
        blamed.longest_ns = std::max(blamed.longest_ns, time);
      }
    }
    made.period_ns = period_ns();
    return made;
  }

 private:
  /// A rank's wait in a collective for the one that comes last.
  struct Wait {
    std::int64_t start_ns = 0, end_ns = 0, exposed_ns = 0;
    std::uint32_t last = 0;
    bool is_pair = false;
  };

  /// Exposed waits of a step.
  void add_waits(Blame& made) {
    std::vector<double> last(for_last_.size()), all(for_last_.size());
    std::vector<std::vector<Wait>> waits(for_last_.size());
    for (const JoinedCollective& one : run_.collectives) {
      if (!one.last) continue;
      const bool is_pair = one.rule == WaitRule::kPair;
      for (const Participant& participant : run_.of(one)) {
        const std::uint32_t rank = participant.rank;
        const RankCollective& seen = run_.seen_by(participant);
        if (!steady_[rank].contains(seen.step)) continue;
        if (!is_pair) ++all[rank];
        if (rank == *one.last) {
          if (!is_pair) ++last[rank];
          continue;
        }
        waits[rank].push_back({seen.start_ns, sum_of_times(seen.start_ns, participant.wait_ns),
                               seen.exposed_ns, *one.last, is_pair});
      }
    }
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank] > 0) made.ranks[rank].last_pct = 100 * last[rank] / all[rank];
      add_waits_of(rank, waits[rank]);
    }
  }

  /// Collectives that wait at the same time wait for the same late rank, as a rule: each instant
  /// counts once, for the one that began first.
  void add_waits_of(std::uint32_t rank, std::vector<Wait>& waits) {
    std::ranges::sort(waits, {}, &Wait::start_ns);
    std::int64_t counted_until_ns = INT64_MIN;
    for (const Wait& one : waits) {
      const std::int64_t from_ns = std::max(one.start_ns, counted_until_ns);
      const std::int64_t exposed_ns =
          std::min(difference_of_times(one.end_ns, from_ns), one.exposed_ns);
      counted_until_ns = std::max(counted_until_ns, one.end_ns);
      if (exposed_ns <= 0) continue;
      (one.is_pair ? for_peer_ : for_last_)[rank][one.last] +=
          static_cast<double>(exposed_ns) / static_cast<double>(steady_[rank].size());
    }
  }

  /// A rank without a cause of its own is late because it waited, as far as it did: it passes the
  /// blame on to those for whom.
  [[nodiscard]] Waits passed_on(Waits waits, const Blame& made) const {
    bool has_moved = true;
    for (int pass = 0; pass < kMostPasses && has_moved; ++pass) {
      has_moved = false;
      Waits next(waits.size());
      for (std::uint32_t rank = 0; rank < waits.size(); ++rank) {
        for (const auto& [last, time] : waits[rank]) {
          const double moved =
              made.ranks[last].causes.empty() ? pass_on(rank, last, time, next[rank]) : 0;
          if (moved > 0) has_moved = true;
          next[rank][last] += time - moved;
        }
      }
      waits = std::move(next);
    }
    return waits;
  }

  /// In proportion to what `last` waited for each; returns how much.
  double pass_on(std::uint32_t waiting, std::uint32_t last, double time,
                 std::map<std::uint32_t, double>& to) const {
    double all = 0;
    for (const Waits* waits : {&for_last_, &for_peer_}) {
      for (const auto& [other, waited] : (*waits)[last]) all += other == waiting ? 0 : waited;
    }
    const double moved = std::min(time, all);
    if (moved <= 0) return 0;
    for (const Waits* waits : {&for_last_, &for_peer_}) {
      for (const auto& [other, waited] : (*waits)[last]) {
        if (other != waiting) to[other] += moved * waited / all;
      }
    }
    return moved;
  }

  [[nodiscard]] double period_ns() const {
    std::vector<double> periods;
    for (const RankSummary* summary : run_.summaries) {
      for (const RankStep& step : summary->steps) {
        if (step.is_whole) periods.push_back(static_cast<double>(step.end_ns - step.begin_ns));
      }
    }
    return periods.empty() ? 0 : median(periods);
  }

  const JoinedRun& run_;
  std::vector<StepNumbers> steady_;  // of each rank
  Waits for_last_, for_peer_;        // in collectives; in sends and receives
};

}  // namespace

Blame find_blame(const JoinedRun& run) { return BlameFinder(run).find(); }

}  // namespace prof::ranks
