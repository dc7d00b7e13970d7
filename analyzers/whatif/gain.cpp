// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/gain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "analyzers/whatif/host_periods.hpp"
#include "libprof/base/statistics.hpp"

namespace prof::whatif {
namespace {

/// An empty queue needs that many steps to fill.
constexpr std::size_t kLeastSteps = 3;
/// So far may periods be from those observed if replays begin with an empty queue.
constexpr double kSameQueue = 0.03;
/// Of a step's work, so much must have a recorded launch: without the host there is no telling.
constexpr double kLeastLaunched = 0.95;

bool may_lose(std::span<const Change> changes) {
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

Gains::Gains(const StepGraph& graph, std::uint32_t device) : graph_(graph) {
  const GraphEvidence& evidence = graph.evidence;
  std::size_t all = 0;
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    if (graph.steps[i].device != device) continue;
    if (graph.steps[i].is_steady) steps_.push_back(i);
    if (all++ == 0) first_ = i;
  }
  if (steps_.empty()) {
    why_not_ = "no steady step is known";
    return;
  }
  if (static_cast<double>(evidence.launched) <
      kLeastLaunched * static_cast<double>(evidence.works)) {
    why_not_ = "launches are not recorded, so what the host would do is not known";
    return;
  }
  if (all < kLeastSteps || !begin_empty()) replay(graph_, {}, own(), own_);
  replay(graph_, {}, usual(), usual_);
}

/// Leaves the first step out, which finds an empty queue. False: steps are others then.
bool Gains::begin_empty() {
  std::vector<std::size_t> settled = steps_;
  std::erase(settled, first_);
  if (settled.empty()) return false;
  replay(graph_, {}, own(), own_);
  std::swap(steps_, settled);
  const double observed = median_period(own_);
  is_empty_ = true;
  replay(graph_, {}, own(), own_);
  is_empty_ = std::abs(median_period(own_) - observed) <= kSameQueue * observed;
  if (!is_empty_) std::swap(steps_, settled);
  return is_empty_;
}

double Gains::median_period(const Times& times) const {
  std::vector<std::int64_t> periods;
  for (const std::size_t step : steps_) periods.push_back(times.periods_ns[step]);
  return median(periods);
}

std::optional<double> Gains::mean_of(const Overlay& changed) {
  if (!why_not_.empty()) return std::nullopt;
  std::vector<double> gained;
  add_gains(changed, own_, own(), gained);
  const double sum = std::accumulate(gained.begin(), gained.end(), 0.0);
  return sum / static_cast<double>(gained.size());
}

void Gains::add_gains(const Overlay& changed, const Times& base, const ReplayOptions& options,
                      std::vector<double>& to) {
  replay(graph_, changed, options, changed_);
  // Replays of a queue that steps before have filled do not end where the host is slower.
  std::vector<std::int64_t> host;
  if (!is_empty_) host = host_periods(graph_, changed);
  for (const std::size_t i : steps_) {
    std::int64_t period = changed_.periods_ns[i];
    if (!host.empty()) period = std::max(period, std::min(host[i], base.periods_ns[i]));
    to.push_back(static_cast<double>(difference_of_times(base.periods_ns[i], period)));
  }
}

std::optional<Gain> Gains::of(std::span<const Change> changes) {
  if (!why_not_.empty()) return std::nullopt;
  const Overlay overlay = apply(graph_, changes);
  const std::vector<std::int64_t> touched = touched_ns(graph_, overlay);
  std::vector<double> of_own, of_usual;
  add_gains(overlay, own_, own(), of_own);
  add_gains(overlay, usual_, usual(), of_usual);
  for (std::vector<double>* const gains : {&of_own, &of_usual}) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      double& gain = (*gains)[i];
      if (!ends_waits(changes)) gain = std::min(gain, static_cast<double>(touched[steps_[i]]));
      if (!may_lose(changes)) gain = std::max(gain, 0.0);
    }
  }
  Gain gain;
  gain.typical_ns = median(of_own);
  gain.low_ns = std::min(quantile(of_own, 0.1), quantile(of_usual, 0.1));
  gain.high_ns = std::max(quantile(of_own, 0.9), quantile(of_usual, 0.9));
  return gain;
}

}  // namespace prof::whatif
