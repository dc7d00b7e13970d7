// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "libprof/model/times.hpp"

namespace prof::ranks {
namespace {

constexpr double kUnbound = std::numeric_limits<double>::infinity();

double difference(std::int64_t a, std::int64_t b) {
  return static_cast<double>(difference_of_times(a, b));
}

/// An event starts at most this long after the event that it follows.
constexpr double kLateNs = 20'000;

std::int64_t end_ns_of(const RankSummary& of, std::uint32_t collective) {
  return collective != kNoCollective ? of.collectives[collective].end_ns : kNever;
}

/// When all has come that it may have waited for.
std::int64_t known_start_ns(const RankSummary& of, const RankCollective& one) {
  const std::int64_t known_ns = std::max(
      {one.own_end_ns, one.launch_ns, end_ns_of(of, one.previous), end_ns_of(of, one.follows)});
  return known_ns == kNever ? one.start_ns : known_ns;
}

/// How many waits have ended by then.
template <typename Wait>
std::uint32_t ended_by(const std::vector<Wait>& waits, std::int64_t time_ns) {
  const auto next = std::ranges::upper_bound(waits, time_ns, {}, &Wait::after_ns);
  return static_cast<std::uint32_t>(next - waits.begin());
}

}  // namespace

double Reduction::at(std::int64_t position_ns) const {
  const auto next =
      std::ranges::upper_bound(points_, position_ns, {}, &std::pair<std::int64_t, double>::first);
  if (next == points_.begin()) return 0;
  const auto& [from_ns, less_ns] = *(next - 1);
  if (next == points_.end()) return less_ns;
  const double part = difference(position_ns, from_ns) / difference(next->first, from_ns);
  return less_ns + part * (next->second - less_ns);
}

Replay::Replay(const JoinedRun& run) : run_(run) {
  for (const RankSummary* summary : run.summaries) {
    joined_.emplace_back(summary->collectives.size(), kNoCollective);
    waits_.emplace_back(summary->collectives.size());
  }
  for (std::uint32_t i = 0; i < run.collectives.size(); ++i) {
    const std::span<const Participant> ranks = run.of(run.collectives[i]);
    const auto last = std::ranges::min_element(ranks, {}, &Participant::wait_ns);
    for (const Participant& one : ranks) {
      joined_[one.rank][one.collective] = i;
      waits_[one.rank][one.collective] = difference(one.wait_ns, last->wait_ns);
    }
  }
  for (std::uint32_t rank = 0; rank < run.summaries.size(); ++rank) add_events(rank);
}

void Replay::add_events(std::uint32_t rank) {
  const RankSummary& of = *run_.summaries[rank];
  std::vector<std::tuple<std::int64_t, Event>> events;
  const auto add = [&](Event::Kind kind, std::size_t index, std::int64_t time_ns,
                       std::int64_t own_ns, std::int64_t host_ns) {
    events.emplace_back(time_ns, Event{.kind = kind,
                                       .index = static_cast<std::uint32_t>(index),
                                       .own_waits = ended_by(of.own_waits, own_ns),
                                       .host_waits = ended_by(of.host_waits, host_ns)});
  };
  for (std::size_t i = 0; i < of.host_waits.size(); ++i) {
    const HostWait& one = of.host_waits[i];
    add(Event::Kind::kHostWait, i, one.after_ns, one.own_end_ns, kNever);
  }
  for (std::size_t i = 0; i < of.own_waits.size(); ++i) {
    const OwnWait& one = of.own_waits[i];
    add(Event::Kind::kOwnWait, i, one.after_ns, kNever, one.launch_ns);
  }
  for (std::size_t i = 0; i < of.collectives.size(); ++i) {
    const RankCollective& one = of.collectives[i];
    add(Event::Kind::kStart, i, one.start_ns, one.own_end_ns, one.launch_ns);
    const double late_ns = difference(one.start_ns, known_start_ns(of, one));
    if (late_ns > kLateNs) unexplained_ns_ += late_ns;
  }
  std::ranges::stable_sort(events, {}, [](const auto& one) { return std::get<0>(one); });
  std::vector<Event>& made = events_.emplace_back();
  for (const auto& [time, event] : events) made.push_back(event);
}

/// Runs ranks as far as they come, until all have come to the end.
class Replay::Runner {
 public:
  Runner(const Replay& replay, const std::vector<const RankReductions*>& less,
         const std::vector<double>& transfers)
      : replay_(replay), less_(less), transfers_(transfers), ranks_(replay.run_.summaries.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const RankSummary& of = *replay.run_.summaries[rank];
      ranks_[rank].own.resize(of.own_waits.size() + 1);
      ranks_[rank].host.resize(of.host_waits.size() + 1);
      ranks_[rank].ends.assign(of.collectives.size(), std::nan(""));
      ranks_[rank].starts.assign(of.collectives.size(), 0);
    }
    for (const JoinedCollective& one : replay.run_.collectives) {
      missing_.push_back(one.end - one.begin);
    }
  }

  std::vector<std::vector<double>> run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) todo_.push_back(rank);
    // A rank that stops at a collective goes on when the last of its ranks has come.
    while (!todo_.empty()) {
      const std::uint32_t rank = todo_.back();
      todo_.pop_back();
      while (ranks_[rank].next < replay_.events_[rank].size() && step(rank)) ++ranks_[rank].next;
    }
    std::vector<std::vector<double>> ends;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].next < replay_.events_[rank].size()) return {};
      ends.push_back(std::move(ranks_[rank].ends));
    }
    return ends;
  }

 private:
  struct OfRank {
    std::vector<double> own, host;  // after so many waits: how much earlier
    std::vector<double> starts, ends;
    std::size_t next = 0;
    std::uint32_t stopped_at = kNoCollective;
  };

  /// False: it waits for a collective of which other ranks have yet to come.
  bool step(std::uint32_t rank) {
    const RankSummary& of = *replay_.run_.summaries[rank];
    OfRank& state = ranks_[rank];
    const Event& event = replay_.events_[rank][state.next];
    switch (event.kind) {
      case Event::Kind::kHostWait: {
        const HostWait& one = of.host_waits[event.index];
        if (!has_ended(rank, one.collective)) return false;
        double earlier =
            host_at(rank, event.index, one.host_ns) + static_cast<double>(one.waited_ns);
        earlier = std::min(earlier, one.collective != kNoCollective
                                        ? state.ends[one.collective]
                                        : own_at(rank, event.own_waits,
                                                 own_position_of(of, event, one.own_end_ns)));
        state.host[event.index + 1] = earlier;
        return true;
      }
      case Event::Kind::kOwnWait: {
        const OwnWait& one = of.own_waits[event.index];
        if (!has_ended(rank, one.collective)) return false;
        const std::int64_t from_ns =
            one.collective != kNoCollective ? of.collectives[one.collective].end_ns : one.launch_ns;
        double earlier = kUnbound;
        if (event.index > 0) {
          earlier = own_at(rank, event.index, one.own_ns) + static_cast<double>(one.slack_ns);
        }
        if (one.launch_ns != kNever) {
          earlier = std::min(earlier, host_at(rank, event.host_waits, one.host_ns) +
                                          difference(from_ns, one.launch_ns));
        }
        if (one.collective != kNoCollective) {
          earlier = std::min(earlier, state.ends[one.collective]);
        }
        state.own[event.index + 1] = std::isinf(earlier) ? 0 : earlier;
        return true;
      }
      case Event::Kind::kStart:
        break;
    }
    return start(rank, event);
  }

  bool start(std::uint32_t rank, const Event& event) {
    const RankSummary& of = *replay_.run_.summaries[rank];
    OfRank& state = ranks_[rank];
    const RankCollective& one = of.collectives[event.index];
    if (!has_ended(rank, one.previous) || !has_ended(rank, one.follows)) return false;
    const std::int64_t last_ns = known_start_ns(of, one);
    double earlier = kUnbound;
    if (one.own_end_ns != kNever) {
      earlier = std::min(
          earlier, own_at(rank, event.own_waits, one.own_ns) + difference(last_ns, one.own_end_ns));
    }
    if (one.launch_ns != kNever) {
      earlier = std::min(earlier, host_at(rank, event.host_waits, one.host_ns) +
                                      difference(last_ns, one.launch_ns));
    }
    for (const std::uint32_t before : {one.previous, one.follows}) {
      if (before == kNoCollective) continue;
      earlier = std::min(earlier, state.ends[before] + difference(last_ns, end_ns_of(of, before)));
    }
    state.starts[event.index] = std::isinf(earlier) ? 0 : earlier;
    come(rank, event.index);
    return true;
  }

  /// The last one to come ends the collective for all.
  void come(std::uint32_t rank, std::uint32_t collective) {
    const std::uint32_t joined = replay_.joined_[rank][collective];
    if (joined == kNoCollective) {
      ranks_[rank].ends[collective] = ranks_[rank].starts[collective];
      return;
    }
    if (--missing_[joined] > 0) return;
    const JoinedCollective& all = replay_.run_.collectives[joined];
    const std::span<const Participant> ranks = replay_.run_.of(all);
    double earlier = kUnbound, of_last = 0;
    for (const Participant& one : ranks) {
      const double start = ranks_[one.rank].starts[one.collective];
      earlier = std::min(earlier, start + replay_.waits_[one.rank][one.collective]);
      if (one.rank == all.last) of_last = start;
    }
    if (!transfers_.empty()) earlier += transfers_[joined];
    for (const Participant& one : ranks) {
      OfRank& state = ranks_[one.rank];
      const double own = state.starts[one.collective];
      const double wait = replay_.waits_[one.rank][one.collective];
      switch (all.rule) {
        case WaitRule::kTogether:
        case WaitRule::kSizes:
        case WaitRule::kPair:
          state.ends[one.collective] = earlier;
          break;
        case WaitRule::kFromRoot:
        case WaitRule::kToRoot:
          state.ends[one.collective] = wait > 0 && all.last ? std::min(own + wait, of_last) : own;
          break;
        case WaitRule::kUnknown:
          state.ends[one.collective] = own;
          break;
      }
      if (state.stopped_at == one.collective) {
        state.stopped_at = kNoCollective;
        todo_.push_back(one.rank);
      }
    }
  }

  bool has_ended(std::uint32_t rank, std::uint32_t collective) {
    if (collective == kNoCollective || !std::isnan(ranks_[rank].ends[collective])) return true;
    ranks_[rank].stopped_at = collective;
    return false;
  }

  [[nodiscard]] double own_at(std::uint32_t rank, std::uint32_t waits, std::int64_t own_ns) const {
    const double earlier = ranks_[rank].own[waits];
    if (less_[rank] == nullptr) return earlier;
    const std::vector<OwnWait>& all = replay_.run_.summaries[rank]->own_waits;
    const double before = waits > 0 ? less_[rank]->own.at(all[waits - 1].own_ns) : 0;
    return earlier + less_[rank]->own.at(own_ns) - before;
  }

  [[nodiscard]] double host_at(std::uint32_t rank, std::uint32_t waits,
                               std::int64_t host_ns) const {
    const double earlier = ranks_[rank].host[waits];
    if (less_[rank] == nullptr) return earlier;
    const std::vector<HostWait>& all = replay_.run_.summaries[rank]->host_waits;
    const double before = waits > 0 ? less_[rank]->host.at(all[waits - 1].host_ns) : 0;
    return earlier + less_[rank]->host.at(host_ns) - before;
  }

  static std::int64_t own_position_of(const RankSummary& of, const Event& event,
                                      std::int64_t time_ns) {
    if (event.own_waits == 0) return 0;
    const OwnWait& before = of.own_waits[event.own_waits - 1];
    const std::int64_t position_ns =
        sum_of_times(before.own_ns, difference_of_times(time_ns, before.after_ns));
    return event.own_waits < of.own_waits.size()
               ? std::min(position_ns, of.own_waits[event.own_waits].own_ns)
               : position_ns;
  }

  const Replay& replay_;
  const std::vector<const RankReductions*>& less_;
  const std::vector<double>& transfers_;
  std::vector<OfRank> ranks_;
  std::vector<std::uint32_t> missing_;  // of each joined collective, ranks that have yet to come
  std::vector<std::uint32_t> todo_;
};

std::vector<std::vector<double>> Replay::run(const std::vector<const RankReductions*>& less,
                                             const std::vector<double>& transfers) const {
  return Runner(*this, less, transfers).run();
}

}  // namespace prof::ranks
