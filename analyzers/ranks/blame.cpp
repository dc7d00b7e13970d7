// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/blame.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "analyzers/ranks/slow_link.hpp"
#include "analyzers/ranks/step_cost.hpp"
#include "analyzers/ranks/usual_step.hpp"
#include "analyzers/ranks/waits.hpp"
#include "libprof/base/statistics.hpp"

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
    made.period_ns = period_ns();
    auto causes = find_causes(run_);
    const std::optional<SlowLink> link = find_slow_link(run_, made.period_ns);
    const StepCosts costs = step_costs(run_, causes, link, made.period_ns);
    if (link && costs.of_link_ns > 0) add_cause(link->cause, causes[link->rank]);
    for (std::uint32_t rank = 0; rank < causes.size(); ++rank) {
      made.ranks[rank].cost_ns = costs.of_ranks_ns[rank];
      made.ranks[rank].causes = std::move(causes[rank]);
      made.ranks[rank].idle_ns = usual_step(*run_.summaries[rank]).in(DeviceState::kIdle);
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
    return made;
  }

 private:
  static void add_cause(const Cause& cause, std::vector<Cause>& causes) {
    const auto place =
        std::ranges::lower_bound(causes, cause.excess_ns, std::greater{}, &Cause::excess_ns);
    causes.insert(place, cause);
  }

  /// Exposed waits of a step, and how often each rank comes last.
  void add_waits(Blame& made) {
    std::vector<double> last(for_last_.size()), all(for_last_.size());
    for (const JoinedCollective& one : run_.collectives) {
      if (!one.last || one.rule == WaitRule::kPair) continue;
      for (const Participant& participant : run_.of(one)) {
        const std::uint32_t rank = participant.rank;
        if (!steady_[rank].contains(run_.seen_by(participant).step)) continue;
        ++all[rank];
        if (rank == *one.last) ++last[rank];
      }
    }
    const auto exposed = exposed_waits(run_);
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank] > 0) made.ranks[rank].last_pct = 100 * last[rank] / all[rank];
      for (const ExposedWait& one : exposed[rank]) {
        if (!steady_[rank].contains(one.step)) continue;
        const double of_step =
            static_cast<double>(one.time_ns) / static_cast<double>(steady_[rank].size());
        (one.is_pair ? for_peer_ : for_last_)[rank][one.last] += of_step;
        made.ranks[rank].exposed_waits_ns += of_step;
      }
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
        if (step.is_whole) periods.push_back(static_cast<double>(step.period_ns()));
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
