// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "libprof/base/statistics.hpp"

namespace prof::ranks {
namespace {

struct Sample {
  double time_ns = 0, ahead_ns = 0;  ///< On the second host's clock; of the first one's.
};

/// A host, and when its ranks see the end of a collective, each on their own clock.
using End = std::pair<std::size_t, double>;

constexpr std::size_t kLeastForDrift = 8;
constexpr double kSureOfDrift = 3;  // spreads of a median

std::vector<End> ends_of(const JoinedRun& run, const JoinedCollective& one) {
  std::map<std::size_t, std::vector<double>> ends;
  for (const Participant& participant : run.of(one)) {
    const RankId& rank = run.run.ranks[participant.rank];
    const std::int64_t end_ns = run.seen_by(participant).end_ns;
    ends[rank.host].push_back(static_cast<double>(rank.base_ns) + static_cast<double>(end_ns));
  }
  std::vector<End> middles;
  for (auto& [host, times] : ends) middles.emplace_back(host, median(times));
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

/// The hosts' clocks, from the first host on to those that collectives connect with it.
class ClockSearch {
 public:
  explicit ClockSearch(const JoinedRun& run)
      : clocks_(run.run.hosts.size()), collectives_of_(clocks_.size()) {
    if (clocks_.size() < 2) return;
    for (const JoinedCollective& one : run.collectives) {
      if (one.rule != WaitRule::kTogether) continue;
      std::vector<End> ends = ends_of(run, one);
      if (ends.size() < 2) continue;
      for (const End& end : ends) collectives_of_[end.first].push_back(ends_.size());
      ends_.push_back(std::move(ends));
    }
  }

  std::vector<HostClock> clocks() && {
    if (clocks_.empty()) return {};
    clocks_.front().is_known = true;
    std::vector<std::size_t> reached{0};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (auto& [host, samples] : samples_from(reached[i])) {
        const HostClock& from = clocks_[reached[i]];
        HostClock clock = clock_of(samples);
        clock.offset_ns += from.offset_ns;
        clock.drift += from.drift;
        // Not std::hypot, which needs a newer C library than RHEL 9's (cmake/shipped.cmake).
        clock.spread_ns =
            std::sqrt(clock.spread_ns * clock.spread_ns + from.spread_ns * from.spread_ns);
        clocks_[host] = clock;
        reached.push_back(host);
      }
    }
    return std::move(clocks_);
  }

 private:
  /// Samples of hosts whose clock is not known yet. A collective serves once: all its hosts are
  /// known then, so that thousands of hosts do not make millions of pairs.
  std::map<std::size_t, std::vector<Sample>> samples_from(std::size_t host) {
    std::map<std::size_t, std::vector<Sample>> samples;
    for (const std::size_t index : collectives_of_[host]) {
      const std::vector<End> ends = std::exchange(ends_[index], {});
      const auto own = std::ranges::find(ends, host, &End::first);
      if (own == ends.end()) continue;
      for (const auto& [other, end_ns] : ends) {
        if (clocks_[other].is_known) continue;
        samples[other].push_back({end_ns, end_ns - own->second});
      }
    }
    return samples;
  }

  std::vector<HostClock> clocks_;
  std::vector<std::vector<End>> ends_;                    // by collective; empty: served
  std::vector<std::vector<std::size_t>> collectives_of_;  // by host
};

}  // namespace

std::vector<HostClock> host_clocks(const JoinedRun& run) { return ClockSearch(run).clocks(); }

}  // namespace prof::ranks
