// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/advice/facts/rank_waits.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace prof::reports {
namespace {

/// How many GPUs take part, from nccl-tests' factor of the op, which depends on nothing else. 0:
/// not known, or an op in which some need not wait.
double ranks_of(std::string_view op, const Quantities& cost) {
  if (!cost.algorithm_bytes || !cost.bus_bytes || *cost.algorithm_bytes <= 0) return 0;
  const double factor = *cost.bus_bytes / *cost.algorithm_bytes;
  if (op == "all_reduce") return std::round(2 / (2 - factor));
  if (op == "all_gather" || op == "reduce_scatter" || op == "all_to_all") {
    return std::round(1 / (1 - factor));
  }
  return 0;
}

/// Each has a rank, and no two have the same GPU.
bool are_distinct(const std::vector<DeviceOfTrace>& run) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::set<const TraceIdentity*> traces;
  for (const auto& [trace, device] : run) {
    traces.insert(trace);
    if (!seen.insert({trace->rank.value_or(0), device}).second) return false;
  }
  return traces.size() == 1 || std::ranges::all_of(traces, [](const TraceIdentity* trace) {
           return trace->rank.has_value();
         });
}

}  // namespace

void RankWaits::add(const DeviceOfTrace& device, std::int64_t step, std::string_view op,
                    const Quantities& cost, std::int64_t duration_ns) {
  const double ranks = ranks_of(op, cost);
  if (ranks < 2 || duration_ns <= 0) return;
  calls_[device][{step, std::string(op), *cost.algorithm_bytes}].push_back(
      {.ranks = ranks, .duration_ns = duration_ns});
}

std::map<DeviceOfTrace, RankWait> RankWaits::finish(
    const std::map<DeviceOfTrace, double>& exposed_ns) const {
  std::map<std::string_view, std::vector<DeviceOfTrace>> runs;
  std::map<std::string_view, double> exposed;
  for (const auto& [device, time] : exposed_ns) {
    runs[device.first->run].push_back(device);
    exposed[device.first->run] += time;
  }
  std::map<DeviceOfTrace, RankWait> found;
  for (const auto& [name, run] : runs) {
    if (run.size() < 2 || !are_distinct(run)) continue;
    compare(run, exposed.at(name) / static_cast<double>(run.size()), found);
  }
  return found;
}

void RankWaits::compare(const std::vector<DeviceOfTrace>& run, double exposed_ns,
                        std::map<DeviceOfTrace, RankWait>& found) const {
  std::vector<const Calls*> of;
  for (const DeviceOfTrace& device : run) {
    const auto calls = calls_.find(device);
    if (calls == calls_.end()) return;
    of.push_back(&calls->second);
  }
  std::set<std::int64_t> steps;
  std::vector<double> waits(run.size());
  double collectives = 0;
  for (const auto& [kind, first] : *of.front()) {
    std::vector<const std::vector<Call>*> same;
    for (const Calls* calls : of) {
      const auto one = calls->find(kind);
      if (one != calls->end() && one->second.size() == first.size()) same.push_back(&one->second);
    }
    const auto count = static_cast<double>(run.size());
    const bool is_of_all =
        std::ranges::all_of(first, [&](const Call& call) { return call.ranks == count; });
    if (same.size() < run.size() || !is_of_all) continue;
    for (std::size_t n = 0; n < first.size(); ++n) {
      std::int64_t least = INT64_MAX;
      for (const auto* calls : same) least = std::min(least, (*calls)[n].duration_ns);
      for (std::size_t i = 0; i < same.size(); ++i) {
        waits[i] += static_cast<double>((*same[i])[n].duration_ns - least);
      }
    }
    steps.insert(std::get<0>(kind));
    collectives += static_cast<double>(first.size());
  }
  if (steps.empty()) return;
  const auto of_steps = static_cast<double>(steps.size());
  double mean = 0;
  for (const double wait : waits) mean += wait / static_cast<double>(waits.size()) / of_steps;
  const auto slowest = std::ranges::min_element(waits) - waits.begin();
  for (std::size_t i = 0; i < run.size(); ++i) {
    found[run[i]] = {.gpus = run.size(),
                     .collectives = collectives / of_steps,
                     .own_ns = waits[i] / of_steps,
                     .mean_ns = mean,
                     .exposed_ns = exposed_ns,
                     .is_slowest = static_cast<std::ptrdiff_t>(i) == slowest};
  }
}

}  // namespace prof::reports
