// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule imbalance: GPUs of a run wait in collectives for one that comes late. With the same work for
// all, each would take the mean. Given for the one that the others wait for. If it waits for others
// as well, they come late in turns: that is chance, which no balance removes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libprof/base/count_text.hpp"
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Of the difference of the waits: work comes in pieces.
constexpr double kImbalanceLeast = 0.5;

std::vector<Advice> find_imbalance(const StepFacts& facts) {
  const RankWait& wait = facts.ranks;
  if (!wait.is_slowest) return {};
  // What computing hides costs nothing.
  const double gain = std::min(wait.mean_ns - wait.own_ns, wait.exposed_ns);
  if (gain <= 0) return {};
  Advice made;
  made.what = "give all GPUs the same work";
  const auto others = static_cast<double>(wait.gpus - 1);
  const double theirs = wait.mean_ns * static_cast<double>(wait.gpus) - wait.own_ns;
  made.evidence = fmt::format(
      "{} {} ms, and this one {} ms, in {} for the last to come",
      wait.gpus == 2 ? "the other GPU waits" : fmt::format("{} other GPUs wait", wait.gpus - 1),
      in_ms(theirs / others), in_ms(wait.own_ns),
      count_text(static_cast<std::uint64_t>(std::llround(wait.collectives)), "collective",
                 "collectives"));
  made.gain = {kImbalanceLeast * gain, gain, gain};
  made.show = "comm";
  made.shows_all_steps = true;
  return {made};
}

}  // namespace

void register_imbalance(Registry& registry) {
  registry.add({"imbalance", "GPUs of a run that wait for one of them", find_imbalance});
}

}  // namespace prof::rules
