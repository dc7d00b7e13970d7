// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks: a run whose ranks are made of what a test states.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

inline constexpr std::int64_t kUs = 1'000;

class Ranks : public testing::Test {
 protected:
  struct Call {
    std::string op = "all_reduce";
    std::int64_t start_us = 0, duration_us = 100;
    std::optional<std::uint64_t> sequence = {};
    std::optional<std::int64_t> step = {};
    double bytes = 1e6;
    std::int32_t peer = -1, root = -1;
    std::uint64_t communicator = 7;
  };

  void make(std::size_t ranks, std::size_t ranks_per_host = 8) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      TraceIdentity& trace = traces_.emplace_back();
      trace.rank = rank;
      trace.name = "rank" + std::to_string(rank);
      RankSummary& summary = summaries_.emplace_back();
      summary.trace = rank;
      summary.kernels = 1;
      const std::size_t host = rank / ranks_per_host;
      if (run_.hosts.size() <= host) run_.hosts.push_back("node" + std::to_string(host));
      run_.ranks.push_back({.trace = &trace,
                            .summary = rank,
                            .rank = rank,
                            .label = "rank " + std::to_string(rank),
                            .host = host});
    }
  }
  void call(std::size_t rank, const Call& call, std::optional<std::uint32_t> own = {}) {
    RankSummary& summary = summaries_[rank];
    RankCollective made;
    made.start_ns = call.start_us * kUs;
    made.end_ns = made.start_ns + call.duration_us * kUs;
    made.exposed_ns = call.duration_us * kUs;
    made.sequence = call.sequence;
    made.step = call.step;
    made.bytes = call.bytes;
    made.peer = call.peer;
    made.root = call.root;
    made.place = place(summary, {"", call.op, Direction::kNone});
    std::size_t at = 0;
    while (at < summary.communicators.size() && summary.communicators[at].id != call.communicator) {
      ++at;
    }
    if (at == summary.communicators.size()) {
      summary.communicators.push_back(
          {.id = call.communicator,
           .ranks = static_cast<std::uint32_t>(summaries_.size()),
           .rank = own ? own : std::optional(static_cast<std::uint32_t>(rank))});
    }
    made.communicator = static_cast<std::uint32_t>(at);
    summary.collectives.push_back(made);
  }
  static std::uint32_t place(RankSummary& summary, const Place& place) {
    const auto found = std::ranges::find(summary.places, place);
    if (found != summary.places.end()) {
      return static_cast<std::uint32_t>(found - summary.places.begin());
    }
    summary.places.push_back(place);
    return static_cast<std::uint32_t>(summary.places.size() - 1);
  }
  static std::pair<std::uint32_t, Activity> key_of(const Piece& piece) {
    return {piece.place, piece.kind()};
  }
  void piece(std::size_t rank, const Place& at, Activity activity, double us, double amount = 0,
             std::uint32_t count = 1) {
    Piece made;
    made.place = place(summaries_[rank], at) & ((1U << 30) - 1);
    made.activity = static_cast<std::uint32_t>(activity) & 3U;
    RankSummary& summary = summaries_[rank];
    const auto begin = summary.steps.empty() ? 0 : summary.steps.back().pieces_end;
    auto known = std::find_if(summary.pieces.begin() + begin, summary.pieces.end(),
                              [&](const Piece& one) { return key_of(one) == key_of(made); });
    if (known == summary.pieces.end()) known = summary.pieces.insert(known, made);
    known->time_ns += static_cast<std::int64_t>(us * static_cast<double>(kUs));
    known->amount += static_cast<float>(amount);
    known->count += count;
  }
  void end_step(std::size_t rank, std::int64_t step, std::int64_t period_us = 10'000) {
    RankSummary& summary = summaries_[rank];
    const auto begin = summary.steps.empty() ? 0 : summary.steps.back().pieces_end;
    std::ranges::sort(summary.pieces.begin() + begin, summary.pieces.end(), {}, key_of);
    RankStep& made = summary.steps.emplace_back();
    made.step = step;
    made.begin_ns = step * period_us * kUs;
    made.end_ns = made.begin_ns + period_us * kUs;
    made.is_whole = made.is_steady = true;
    made.pieces_end = static_cast<std::uint32_t>(summary.pieces.size());
  }

  JoinedRun join() {
    ranks::Run run = run_;
    return ranks::join(std::move(run), summaries_);
  }
  static std::vector<std::int64_t> waits_us(const JoinedRun& run, std::size_t at) {
    std::vector<std::int64_t> waits;
    for (const Participant& one : run.of(run.collectives.at(at))) {
      waits.push_back(one.wait_ns / kUs);
    }
    return waits;
  }

  std::deque<TraceIdentity> traces_;
  std::vector<RankSummary> summaries_;
  ranks::Run run_;
};

}  // namespace prof::ranks
