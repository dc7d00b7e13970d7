// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/waits.hpp"

#include <algorithm>
#include <cmath>

#include "libprof/model/times.hpp"

namespace prof::ranks {
namespace {

/// Messages that differ by more than that are of different sizes.
constexpr double kSameSize = 1.02;

struct KnownRule {
  std::string_view op;
  WaitRule rule;
};

constexpr KnownRule kRules[] = {
    {"all_reduce", WaitRule::kTogether},
    {"all_gather", WaitRule::kTogether},
    {"reduce_scatter", WaitRule::kTogether},
    {"all_to_all", WaitRule::kTogether},
    {"barrier", WaitRule::kTogether},
    {"broadcast", WaitRule::kFromRoot},
    {"scatter_ranks", WaitRule::kFromRoot},
    {"reduce", WaitRule::kToRoot},
    {"gather_ranks", WaitRule::kToRoot},
    {"send", WaitRule::kPair},
    {"recv", WaitRule::kPair},
    {"send_recv", WaitRule::kPair},
};

class WaitFinder {
 public:
  WaitFinder(JoinedRun& run, JoinedCollective& of)
      : run_(run),
        of_(of),
        ranks_(std::span(run.participants).subspan(of.begin, of.end - of.begin)) {}

  void find() {
    of_.rule = wait_rule(run_.place_of(ranks_.front()).op);
    if (of_.rule == WaitRule::kTogether && !has_one_size()) of_.rule = WaitRule::kSizes;
    of_.transfer_ns = duration_ns(shortest());
    if (of_.rule == WaitRule::kSizes && take_sizes()) return;
    // A root also waits for those that it sends to or hears of, which durations do not show.
    of_.is_estimated = of_.is_estimated || of_.rule == WaitRule::kFromRoot ||
                       of_.rule == WaitRule::kToRoot || of_.rule == WaitRule::kSizes;
    for (Participant& one : ranks_) {
      const bool waits = of_.rule == WaitRule::kFromRoot ? !is_root(one)
                         : of_.rule == WaitRule::kToRoot ? is_root(one)
                                                         : of_.rule != WaitRule::kUnknown;
      one.wait_ns = waits ? duration_ns(one) - of_.transfer_ns : 0;
    }
    find_last();
  }

 private:
  [[nodiscard]] std::int64_t duration_ns(const Participant& one) const {
    return run_.seen_by(one).duration_ns();
  }
  [[nodiscard]] const Participant& shortest() const {
    return *std::ranges::min_element(ranks_, {},
                                     [this](const Participant& one) { return duration_ns(one); });
  }

  [[nodiscard]] bool has_one_size() const {
    double least = HUGE_VAL, most = 0;
    for (const Participant& one : ranks_) {
      least = std::min(least, run_.seen_by(one).bytes);
      most = std::max(most, run_.seen_by(one).bytes);
    }
    return most <= least * kSameSize;
  }

  [[nodiscard]] bool is_root(const Participant& one) const {
    const RankCollective& seen = run_.seen_by(one);
    const auto& own = run_.summaries[one.rank]->communicators[seen.communicator].rank;
    return own && seen.root >= 0 && static_cast<std::int64_t>(*own) == seen.root;
  }

  /// The fastest rank shows the speed of the links, and its own size what a rank needs at that.
  /// False: a size is unknown.
  bool take_sizes() {
    double best = 0;
    for (const Participant& one : ranks_) {
      const double bytes = run_.seen_by(one).bytes;
      if (bytes <= 0) return false;
      best = std::max(best, bytes / static_cast<double>(duration_ns(one)));
    }
    for (Participant& one : ranks_) {
      const auto needed = static_cast<std::int64_t>(run_.seen_by(one).bytes / best);
      of_.transfer_ns = std::max(of_.transfer_ns, needed);
      one.wait_ns = std::max<std::int64_t>(0, duration_ns(one) - needed);
    }
    of_.is_estimated = true;
    of_.last = std::ranges::min_element(ranks_, {}, &Participant::wait_ns)->rank;
    return true;
  }

  void find_last() {
    switch (of_.rule) {
      case WaitRule::kTogether:
      case WaitRule::kSizes:
      case WaitRule::kPair:
        of_.last = shortest().rank;
        break;
      case WaitRule::kFromRoot:
        for (const Participant& one : ranks_) {
          if (is_root(one)) of_.last = one.rank;
        }
        break;
      case WaitRule::kToRoot:
        if (!is_root(shortest())) of_.last = shortest().rank;
        break;
      case WaitRule::kUnknown:
        break;
    }
    // Without the one that they wait for, nobody is known to wait.
    if (of_.last) return;
    for (Participant& one : ranks_) one.wait_ns = 0;
  }

  JoinedRun& run_;
  JoinedCollective& of_;
  std::span<Participant> ranks_;
};

}  // namespace

WaitRule wait_rule(std::string_view op) {
  const auto* const known = std::ranges::find(kRules, op, &KnownRule::op);
  return known != std::end(kRules) ? known->rule : WaitRule::kUnknown;
}

void find_waits(JoinedRun& run) {
  for (JoinedCollective& one : run.collectives) WaitFinder(run, one).find();
}

std::vector<std::vector<ExposedWait>> exposed_waits(const JoinedRun& run) {
  struct Wait {
    const RankCollective* collective = nullptr;
    std::int64_t wait_ns = 0;
    const JoinedCollective* joined = nullptr;
  };
  std::vector<std::vector<Wait>> waits(run.summaries.size());
  for (const JoinedCollective& one : run.collectives) {
    for (const Participant& participant : run.of(one)) {
      if (!one.last || participant.rank == *one.last) continue;
      waits[participant.rank].push_back({&run.seen_by(participant), participant.wait_ns, &one});
    }
  }
  std::vector<std::vector<ExposedWait>> exposed(waits.size());
  for (std::size_t rank = 0; rank < waits.size(); ++rank) {
    std::ranges::sort(waits[rank], {}, [](const Wait& one) { return one.collective->start_ns; });
    std::int64_t counted_until_ns = INT64_MIN;
    for (const Wait& one : waits[rank]) {
      const RankCollective& of = *one.collective;
      const std::int64_t end_ns = sum_of_times(of.start_ns, one.wait_ns);
      const std::int64_t from_ns = std::max(of.start_ns, counted_until_ns);
      const std::int64_t time_ns = std::min(difference_of_times(end_ns, from_ns), of.exposed_ns);
      counted_until_ns = std::max(counted_until_ns, end_ns);
      if (time_ns <= 0) continue;
      exposed[rank].push_back(
          {time_ns, of.step, *one.joined->last, one.joined->rule == WaitRule::kPair});
    }
  }
  return exposed;
}

}  // namespace prof::ranks
