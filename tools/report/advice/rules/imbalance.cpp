// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule imbalance: a rank of a run that makes steps longer than if it needed what the others do
// (analyzers/ranks/step_cost.hpp). Of one that has more work, each would take the mean.
#include <fmt/format.h>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Work comes in pieces, and the cause is removed in part.
constexpr double kImbalanceLeast = 0.5;

std::vector<Advice> find_imbalance(const StepFacts& facts) {
  const RankStanding& standing = facts.standing;
  if (standing.cost_ns <= 0) return {};
  const auto ranks = static_cast<double>(standing.ranks);
  const double gain =
      standing.has_more_work ? standing.cost_ns * (ranks - 1) / ranks : standing.cost_ns;
  Advice made;
  made.what =
      standing.has_more_work ? "give all GPUs the same work" : "remove what makes this rank late";
  made.evidence =
      fmt::format("a step takes {} ms longer than if this rank were as the others{}{}",
                  in_ms(standing.cost_ns), standing.cause.empty() ? "" : ": ", standing.cause);
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
