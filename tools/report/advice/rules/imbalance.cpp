// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule imbalance: ranks of a run wait in collectives for one that comes late. Given for the one
// that the others wait for. Without its cause they would not wait; of one that has more work, each
// would take the mean. If it waits for others as well, they come late in turns: that is chance.
#include <fmt/format.h>

#include <algorithm>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Of the difference of the waits: work comes in pieces.
constexpr double kImbalanceLeast = 0.5;

std::vector<Advice> find_imbalance(const StepFacts& facts) {
  const RankStanding& standing = facts.standing;
  const bool is_removed = !standing.cause.empty() && !standing.has_more_work;
  const double without = is_removed ? standing.waited_for_ns : standing.mean_waits_ns;
  const double gain = std::min(without, standing.waited_for_ns) - standing.waits_ns;
  if (gain <= 0) return {};
  Advice made;
  made.what = is_removed ? "remove what makes this rank late" : "give all GPUs the same work";
  made.evidence = fmt::format("{} {} ms, and this one {} ms, in collectives{}{}",
                              standing.ranks == 2 ? "the other rank waits" : "another rank waits",
                              in_ms(standing.waited_for_ns), in_ms(standing.waits_ns),
                              standing.cause.empty() ? "" : ": ", standing.cause);
  made.gain = {kImbalanceLeast * gain, gain, gain};
  made.show = "stragglers";
  made.shows_all_steps = made.shows_all_ranks = true;
  return {made};
}

}  // namespace

void register_imbalance(Registry& registry) {
  registry.add({"imbalance", "GPUs of a run that wait for one of them", find_imbalance});
}

}  // namespace prof::rules
