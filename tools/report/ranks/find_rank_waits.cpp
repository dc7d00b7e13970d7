// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/ranks/find_rank_waits.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "analyzers/ranks/waits.hpp"
#include "tools/report/ranks/cause_text.hpp"
#include "tools/report/ranks/ranks_pass.hpp"

namespace prof::reports {
namespace {

RankStanding standing_of(const RanksOfRun& of, std::uint32_t rank) {
  const ranks::RankBlame& blame = of.blame.ranks[rank];
  RankStanding made{.ranks = of.joined.summaries.size(),
                    .waits_ns = blame.waits_ns,
                    .label = of.joined.run.ranks[rank].label,
                    .waited_for_ns = blame.longest_ns,
                    .exposed_waits_ns = std::max(blame.waits_ns, blame.exposed_waits_ns),
                    .cost_ns = blame.cost_ns};
  double longest_ns = 0;
  for (const auto& [last, time] : of.blame.waits_for[rank]) {
    if (last == rank || time <= longest_ns) continue;
    longest_ns = time;
    made.waits_for = of.joined.run.ranks[last].label;
  }
  if (blame.causes.empty()) return made;
  made.cause = to_text(blame.causes.front());
  made.has_more_work = blame.causes.front().kind == ranks::CauseKind::kSizes;
  return made;
}

void add_run(const RanksOfRun& of, RankWaits& waits) {
  const ranks::JoinedRun& run = of.joined;
  if (run.aligned > 0) waits.is_estimated = true;
  std::vector<RankWaits::OfDevice*> ranks;
  for (std::uint32_t rank = 0; rank < run.summaries.size(); ++rank) {
    const ranks::RankId& id = run.run.ranks[rank];
    ranks.push_back(&waits.of({id.trace, id.device}));
    ranks.back()->standing = standing_of(of, rank);
  }
  for (const ranks::JoinedCollective& one : run.collectives) {
    if (!one.last) continue;
    ++waits.collectives;
    const std::string_view last = waits.keep(run.run.ranks[*one.last].label);
    for (const ranks::Participant& participant : run.of(one)) {
      const ranks::RankCollective& seen = run.seen_by(participant);
      ranks[participant.rank]->collectives.push_back(
          {.start_ns = seen.start_ns,
           .end_ns = seen.end_ns,
           .wait_ns = participant.wait_ns,
           .waits_for = participant.rank == *one.last ? std::string_view() : last,
           .collective = waits.collectives});
    }
  }
  for (RankWaits::OfDevice* rank : ranks) {
    std::ranges::sort(rank->collectives, {}, &CollectiveWait::start_ns);
  }
  const auto exposed = ranks::exposed_waits(run);
  for (std::size_t rank = 0; rank < exposed.size(); ++rank) {
    for (const ranks::ExposedWait& one : exposed[rank]) {
      ranks[rank]->by_step[one.step] += one.time_ns;
    }
  }
}

/// Traces that are read together: all, or one side of a comparison.
struct Side {
  std::size_t first = 0, end = 0;
};

/// Whether several GPUs belong to one run.
bool can_compare(const TraceSet& traces, const Side& side) {
  std::map<std::string_view, std::size_t> gpus;
  for (std::size_t i = side.first; i < side.end; ++i) {
    const TraceMember& trace = traces.members()[i];
    gpus[trace.identity.run] += std::max<std::size_t>(1, trace.reader.devices().size());
  }
  return std::ranges::any_of(gpus, [](const auto& run) { return run.second > 1; });
}

}  // namespace

struct RankWaitsFinder::State {
  const TraceSet& traces;
  Reading& reading;
  bool keeps = false;
  std::vector<Side> sides;  ///< The sides that can be compared.
  std::shared_ptr<const RanksRead> read = {};
  std::optional<Result<RankWaits>> waits = {};
};

RankWaitsFinder::RankWaitsFinder(const TraceSet& traces, Reading& reading, std::size_t base_traces,
                                 bool keeps)
    : state_(std::make_shared<State>(
          State{.traces = traces,
                .reading = reading,
                .keeps = keeps,
                .sides = {{0, base_traces}, {base_traces, traces.size()}}})) {
  std::erase_if(state_->sides, [&](const Side& side) { return !can_compare(traces, side); });
}

bool RankWaitsFinder::keeps() const { return state_->keeps; }

const std::shared_ptr<const RanksRead>& RankWaitsFinder::kept() const { return state_->read; }

void RankWaitsFinder::keep(std::shared_ptr<const RanksRead> read) const {
  state_->read = std::move(read);
}

Result<const RankWaits*> RankWaitsFinder::operator()() const {
  if (state_->sides.empty()) return nullptr;
  if (!state_->waits) state_->waits = read_sides();
  if (!*state_->waits) return state_->waits->error();
  return &**state_->waits;
}

Result<RankWaits> RankWaitsFinder::read_sides() const {
  const RowFilter all;
  Tally unused;
  const RowInput input{state_->traces, state_->reading, all, unused, *this};
  RankWaits made;
  for (const Side& side : state_->sides) {
    RanksPass pass(input, side.first, side.end);
    PROF_TRY(pass.read());
    for (const RanksOfRun& of : pass.runs()) {
      if (of.joined.summaries.size() > 1) add_run(of, made);
    }
  }
  return made;
}

FindRankWaits find_rank_waits(const TraceSet& traces, Reading& reading, std::size_t base_traces) {
  return RankWaitsFinder(traces, reading, base_traces, false);
}

}  // namespace prof::reports
