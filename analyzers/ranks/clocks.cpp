// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analyzers/ranks/robust.hpp"

namespace prof::ranks {
namespace {

struct Sample {
  double time_ns = 0, ahead_ns = 0;  ///< On the second host's clock; of the first one's.
};
using Samples = std::map<std::pair<std::size_t, std::size_t>, std::vector<Sample>>;

constexpr std::size_t kLeastForDrift = 8;
constexpr double kSureOfDrift = 3;  // spreads of a median

/// When the ranks of each host see the end of a collective.
std::map<std::size_t, double> ends_of(const JoinedRun& run, const JoinedCollective& one) {
  std::map<std::size_t, std::vector<double>> ends;
  for (const Participant& participant : run.of(one)) {
    const RankId& rank = run.run.ranks[participant.rank];
    const std::int64_t end_ns = run.seen_by(participant).end_ns;
    ends[rank.host].push_back(static_cast<double>(rank.base_ns) + static_cast<double>(end_ns));
  }
  std::map<std::size_t, double> middles;
  for (auto& [host, times] : ends) middles[host] = median(times);
  return middles;
}

double median_of(const std::vector<Sample>& samples, std::size_t from, std::size_t to,
                 double Sample::*field) {
  std::vector<double> values;
  for (std::size_t i = from; i < to; ++i) values.push_back(samples[i].*field);
  return median(values);
}

HostClock clock_of(std::vector<Sample>& samples) {
  std::ranges::sort(samples, {}, &Sample::time_ns);
  HostClock clock{.is_known = true, .samples = samples.size()};
  const std::size_t count = samples.size();
  clock.middle_ns = median_of(samples, 0, count, &Sample::time_ns);
  const auto residuals = [&](double drift) {
    std::vector<double> left;
    for (const Sample& one : samples) {
      left.push_back(one.ahead_ns - drift * (one.time_ns - clock.middle_ns));
    }
    return left;
  };
  double drift = 0;
  if (count >= kLeastForDrift) {
    const std::size_t half = count / 2;
    const double earlier = median_of(samples, 0, half, &Sample::time_ns);
    const double later = median_of(samples, half, count, &Sample::time_ns);
    const double moved = median_of(samples, half, count, &Sample::ahead_ns) -
                         median_of(samples, 0, half, &Sample::ahead_ns);
    if (later > earlier) drift = moved / (later - earlier);
    std::vector<double> left = residuals(drift);
    const double spread = spread_about(left, median(left));
    if (std::abs(moved) < kSureOfDrift * spread / std::sqrt(static_cast<double>(half))) drift = 0;
  }
  std::vector<double> left = residuals(drift);
  clock.drift = drift;
  clock.offset_ns = median(left);
  clock.spread_ns = spread_about(left, clock.offset_ns);
  return clock;
}

}  // namespace

std::vector<HostClock> host_clocks(const JoinedRun& run) {
  std::vector<HostClock> clocks(run.run.hosts.size());
  if (clocks.empty()) return clocks;
  clocks.front().is_known = true;
  Samples samples;
  for (const JoinedCollective& one : run.collectives) {
    if (one.rule != WaitRule::kTogether || clocks.size() < 2) continue;
    const std::map<std::size_t, double> ends = ends_of(run, one);
    for (auto a = ends.begin(); a != ends.end(); ++a) {
      for (auto b = std::next(a); b != ends.end(); ++b) {
        samples[{a->first, b->first}].push_back({b->second, b->second - a->second});
        samples[{b->first, a->first}].push_back({a->second, a->second - b->second});
      }
    }
  }
  // From the first host on, to those that collectives connect.
  std::vector<std::size_t> reached{0};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const HostClock from = clocks[reached[i]];
    for (auto& [hosts, of] : samples) {
      HostClock& clock = clocks[hosts.second];
      if (hosts.first != reached[i] || clock.is_known) continue;
      clock = clock_of(of);
      clock.offset_ns += from.offset_ns;
      clock.drift += from.drift;
      // Not std::hypot, which needs a newer C library than RHEL 9's (cmake/shipped.cmake).
      clock.spread_ns =
          std::sqrt(clock.spread_ns * clock.spread_ns + from.spread_ns * from.spread_ns);
      reached.push_back(hosts.second);
    }
  }
  return clocks;
}

}  // namespace prof::ranks
