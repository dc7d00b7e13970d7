// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/join.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "analyzers/ranks/alignment.hpp"
#include "analyzers/ranks/waits.hpp"
#include "libprof/model/times.hpp"

namespace prof::ranks {
namespace {

/// Calls that match each other: those of a communicator, or of two ranks in it.
struct Channel {
  std::uint32_t communicator = 0;
  std::int64_t source = -1, destination = -1;  ///< In the communicator; -1: it is for all ranks.
  /// An op whose calls are all numbered, separately from others; 0: other ops.
  std::uint32_t operation = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
  friend auto operator<=>(const Channel&, const Channel&) = default;
};

struct RankCalls {
  std::uint32_t rank = 0;
  std::vector<std::uint32_t> collectives = {};
};

/// A call by what the ranks that take part agree on.
struct Numbered {
  Channel channel;
  std::int64_t sequence = 0;
  Participant participant;
  bool is_estimated = false;
};

class Joiner {
 public:
  explicit Joiner(JoinedRun& run) : run_(run) {}

  void join() {
    find_communicators();
    find_numbered_operations();
    find_channels();
    for (const auto& [channel, ranks] : channels_) number(channel, ranks);
    group();
    name_communicators();
  }

 private:
  void find_communicators();
  void find_numbered_operations();
  void find_channels();
  [[nodiscard]] std::optional<Channel> channel_of(std::uint32_t rank,
                                                  const RankCollective& call) const;
  void number(const Channel& channel, const std::vector<RankCalls>& ranks);
  void add(const Channel& channel, const RankCalls& of, std::size_t at, std::int64_t sequence,
           bool is_estimated);
  [[nodiscard]] std::vector<AlignedCall> calls_of(const RankCalls& of) const;
  void group();
  void name_communicators();

  JoinedRun& run_;
  // For each rank, the communicators of its summary among those of the run.
  std::vector<std::vector<std::uint32_t>> communicators_;
  // By communicator and op; 0: some calls have no number.
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> operations_;
  std::map<Channel, std::vector<RankCalls>> channels_;
  std::vector<Numbered> numbered_;
};

/// Without an id, communicators of as many ranks count as one, even if a program has several.
void Joiner::find_communicators() {
  std::map<std::pair<bool, std::uint64_t>, std::uint32_t> known;
  for (std::uint32_t rank = 0; rank < run_.summaries.size(); ++rank) {
    auto& own = communicators_.emplace_back();
    for (const RankCommunicator& one : run_.summaries[rank]->communicators) {
      const std::pair key(one.id.has_value(), one.id.value_or(one.ranks.value_or(0)));
      const auto [found, is_new] =
          known.try_emplace(key, static_cast<std::uint32_t>(run_.communicators.size()));
      if (is_new) run_.communicators.push_back({.id = one.id});
      JoinedCommunicator& joined = run_.communicators[found->second];
      if (one.ranks) joined.size = one.ranks;
      joined.ranks.push_back(rank);
      own.push_back(found->second);
    }
  }
}

std::optional<Channel> Joiner::channel_of(std::uint32_t rank, const RankCollective& call) const {
  const RankSummary& summary = *run_.summaries[rank];
  const std::uint32_t communicator = communicators_[rank][call.communicator];
  const std::string& op = summary.places[call.place].op;
  if (wait_rule(op) != WaitRule::kPair) {
    return Channel{.communicator = communicator, .operation = operations_.at({communicator, op})};
  }
  // Where the communicator's own numbers are not stated, they follow the ranks of the job.
  const JoinedCommunicator& joined = run_.communicators[communicator];
  std::int64_t own = -1;
  if (const auto& stated = summary.communicators[call.communicator].rank) {
    own = static_cast<std::int64_t>(*stated);
  } else if (joined.size && joined.ranks.size() == *joined.size) {
    own = std::ranges::find(joined.ranks, rank) - joined.ranks.begin();
  }
  std::int64_t peer = call.peer;
  if (peer < 0 && joined.size == 2U && own >= 0) peer = 1 - own;
  if (own < 0 || peer < 0) return std::nullopt;
  if (op == "send") return Channel{communicator, own, peer};
  if (op == "recv") return Channel{communicator, peer, own};
  // Both at once: one channel for the two, apart from the single calls.
  return Channel{communicator, -2 - std::min(own, peer), -2 - std::max(own, peer)};
}

/// NCCL numbers the calls of each function by themselves.
void Joiner::find_numbered_operations() {
  for (std::uint32_t rank = 0; rank < run_.summaries.size(); ++rank) {
    const RankSummary& summary = *run_.summaries[rank];
    for (const RankCollective& call : summary.collectives) {
      const auto [found, is_new] = operations_.try_emplace(
          {communicators_[rank][call.communicator], summary.places[call.place].op},
          static_cast<std::uint32_t>(operations_.size() + 1));
      if (!call.sequence) found->second = 0;
    }
  }
}

void Joiner::find_channels() {
  for (std::uint32_t rank = 0; rank < run_.summaries.size(); ++rank) {
    const std::vector<RankCollective>& calls = run_.summaries[rank]->collectives;
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      const std::optional<Channel> channel = channel_of(rank, calls[i]);
      if (!channel) {
        ++run_.unmatched;
        continue;
      }
      std::vector<RankCalls>& ranks = channels_[*channel];
      if (ranks.empty() || ranks.back().rank != rank) ranks.push_back({.rank = rank});
      ranks.back().collectives.push_back(i);
    }
  }
}

std::vector<AlignedCall> Joiner::calls_of(const RankCalls& of) const {
  const RankSummary& summary = *run_.summaries[of.rank];
  const std::int64_t base_ns = run_.run.ranks[of.rank].base_ns;
  std::vector<AlignedCall> calls;
  for (const std::uint32_t index : of.collectives) {
    const RankCollective& call = summary.collectives[index];
    const Place& place = summary.places[call.place];
    // The two sides of a transfer have different words, and parts of an uneven one other sizes.
    std::uint64_t what = 0;
    if (wait_rule(place.op) != WaitRule::kPair) what = std::hash<std::string>{}(place.op);
    if (place.op != "all_to_all") what = what * 31 + std::hash<double>{}(call.bytes);
    calls.push_back({.what = what,
                     .step = call.step,
                     .start_ns = sum_of_times(base_ns, call.start_ns),
                     .end_ns = sum_of_times(base_ns, call.end_ns),
                     .is_together = wait_rule(place.op) == WaitRule::kTogether});
  }
  return calls;
}

void Joiner::add(const Channel& channel, const RankCalls& of, std::size_t at, std::int64_t sequence,
                 bool is_estimated) {
  numbered_.push_back({channel, sequence, {of.rank, of.collectives[at], 0}, is_estimated});
}

void Joiner::number(const Channel& channel, const std::vector<RankCalls>& ranks) {
  // Numbers that several calls of a rank have say nothing.
  const auto are_counted = [&](const RankCalls& of) {
    std::unordered_set<std::uint64_t> seen;
    return std::ranges::all_of(of.collectives, [&](std::uint32_t index) {
      const auto& sequence = run_.summaries[of.rank]->collectives[index].sequence;
      return sequence && seen.insert(*sequence).second;
    });
  };
  if (std::ranges::all_of(ranks, are_counted)) {
    for (const RankCalls& of : ranks) {
      for (std::size_t i = 0; i < of.collectives.size(); ++i) {
        const auto& call = run_.summaries[of.rank]->collectives[of.collectives[i]];
        add(channel, of, i, static_cast<std::int64_t>(*call.sequence), false);
      }
    }
    return;
  }
  const RankCalls& longest = *std::ranges::max_element(
      ranks, {}, [](const RankCalls& of) { return of.collectives.size(); });
  const std::vector<AlignedCall> reference = calls_of(longest);
  const std::size_t host = run_.run.ranks[longest.rank].host;
  for (const RankCalls& of : ranks) {
    const bool has_one_clock = run_.run.ranks[of.rank].host == host;
    const auto shift = &of == &longest ? std::optional<std::int64_t>(0)
                                       : shift_between(reference, calls_of(of), has_one_clock);
    if (!shift) {
      run_.unmatched += of.collectives.size();
      continue;
    }
    for (std::size_t i = 0; i < of.collectives.size(); ++i) {
      add(channel, of, i, static_cast<std::int64_t>(i) + *shift, true);
    }
  }
}

void Joiner::group() {
  std::ranges::sort(numbered_, {}, [](const Numbered& one) {
    return std::tuple(one.channel, one.sequence, one.participant.rank);
  });
  for (std::size_t i = 0; i < numbered_.size();) {
    std::size_t end = i;
    while (end < numbered_.size() && numbered_[end].channel == numbered_[i].channel &&
           numbered_[end].sequence == numbered_[i].sequence) {
      ++end;
    }
    const std::size_t count = end - i;
    if (count < 2) {
      run_.unmatched += count;
      i = end;
      continue;
    }
    JoinedCollective made;
    made.communicator = numbered_[i].channel.communicator;
    made.begin = static_cast<std::uint32_t>(run_.participants.size());
    made.end = static_cast<std::uint32_t>(made.begin + count);
    made.is_estimated = numbered_[i].is_estimated;
    made.sequence = numbered_[i].sequence;
    const bool is_for_all = numbered_[i].channel.source == -1;
    made.is_whole = !is_for_all || run_.communicators[made.communicator].size == count;
    run_.aligned += made.is_estimated ? 1 : 0;
    for (; i < end; ++i) run_.participants.push_back(numbered_[i].participant);
    run_.collectives.push_back(made);
  }
}

void Joiner::name_communicators() {
  for (JoinedCommunicator& one : run_.communicators) {
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t rank : one.ranks) {
      if (run_.run.ranks[rank].rank) numbers.push_back(*run_.run.ranks[rank].rank);
    }
    std::ranges::sort(numbers);
    one.name = list_of(numbers);
  }
}

}  // namespace

JoinedRun join(Run run, std::span<const RankSummary> summaries) {
  JoinedRun made;
  made.run = std::move(run);
  for (const RankId& rank : made.run.ranks) made.summaries.push_back(&summaries[rank.summary]);
  Joiner(made).join();
  find_waits(made);
  return made;
}

std::vector<std::uint32_t> pipelines_of(const JoinedRun& run) {
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t rank = 0; rank < run.summaries.size(); ++rank) firsts.push_back(rank);
  for (const JoinedCollective& one : run.collectives) {
    if (one.rule != WaitRule::kPair) continue;
    const std::uint32_t a = firsts[run.of(one).front().rank];
    const std::uint32_t b = firsts[run.of(one).back().rank];
    if (a != b) std::ranges::replace(firsts, std::max(a, b), std::min(a, b));
  }
  return firsts;
}

}  // namespace prof::ranks
