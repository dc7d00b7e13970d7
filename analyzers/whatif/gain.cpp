// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/gain.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "libprof/base/statistics.hpp"

namespace prof::whatif {
namespace {

constexpr ReplayOptions kOwn{.residuals = Residuals::kOwn, .from_empty_queue = true};
constexpr ReplayOptions kUsual{.residuals = Residuals::kNone, .from_empty_queue = true};
/// Of a step's work, so much must have a recorded launch: without the host there is no telling.
constexpr double kLeastLaunched = 0.95;

bool adds(std::span<const Change> changes) {
  return std::ranges::any_of(changes, [](const Change& one) {
    return std::holds_alternative<Add>(one) || std::holds_alternative<Take>(one) ||
           std::holds_alternative<Scale>(one);
  });
}

bool ends_waits(std::span<const Change> changes) {
  return std::ranges::any_of(changes,
                             [](const Change& one) { return std::holds_alternative<NoWait>(one); });
}

}  // namespace

Gains::Gains(const StepGraph& graph, std::uint32_t device) : graph_(graph), device_(device) {
  const GraphEvidence& evidence = graph.evidence;
  const bool has_steady =
      std::ranges::any_of(graph.steps, [&](const StepMark& step) { return takes(step); });
  if (!has_steady) {
    why_not_ = "no steady step is known";
    return;
  }
  if (static_cast<double>(evidence.launched) <
      kLeastLaunched * static_cast<double>(evidence.works)) {
    why_not_ = "launches are not recorded, so what the host would do is not known";
    return;
  }
  replay(graph, {}, kOwn, own_);
  replay(graph, {}, kUsual, usual_);
  std::vector<std::int64_t> periods;
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    if (takes(graph.steps[i])) periods.push_back(own_.periods_ns[i]);
  }
  period_ns_ = median(periods);
}

std::optional<Gain> Gains::of(std::span<const Change> changes) {
  if (!why_not_.empty()) return std::nullopt;
  const Overlay overlay = apply(graph_, changes);
  const std::vector<std::int64_t> touched = touched_ns(graph_, overlay);
  const bool is_capped = !ends_waits(changes);
  const bool may_lose = adds(changes);
  std::vector<double> own, usual;
  const auto add = [&](const Times& base, const ReplayOptions& options, std::vector<double>& to) {
    replay(graph_, overlay, options, changed_);
    for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
      if (!takes(graph_.steps[i])) continue;
      std::int64_t gained = base.periods_ns[i] - changed_.periods_ns[i];
      if (is_capped) gained = std::min(gained, touched[i]);
      if (!may_lose) gained = std::max<std::int64_t>(gained, 0);
      to.push_back(static_cast<double>(gained));
    }
  };
  add(own_, kOwn, own);
  add(usual_, kUsual, usual);
  Gain gain;
  gain.typical_ns = median(own);
  gain.low_ns = std::min(quantile(own, 0.1), quantile(usual, 0.1));
  gain.high_ns = std::max(quantile(own, 0.9), quantile(usual, 0.9));
  return gain;
}

}  // namespace prof::whatif
