// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/roster.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "libprof/model/times.hpp"

namespace prof::ranks {
namespace {

constexpr std::size_t kListed = 6;

/// For each trace the first one on its host, and the realtime at which that host's axis begins.
struct HostAxes {
  std::vector<std::size_t> first;
  std::map<std::size_t, std::int64_t> begin_ns;
};

HostAxes axes_of(const TraceSet& traces) {
  HostAxes axes;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    std::size_t first = i;
    for (std::size_t j = 0; j < i && first == i; ++j) {
      if (traces.comparable(i, j)) first = j;
    }
    axes.first.push_back(first);
    const TraceMember& trace = traces.members()[i];
    if (trace.identity.offset_ns == 0) {
      axes.begin_ns.emplace(first, trace.reader.start_realtime_ns());
    }
  }
  return axes;
}

std::string label_of(const TraceIdentity& trace, std::uint32_t device, bool has_others) {
  std::string label = trace.rank ? "rank " + std::to_string(*trace.rank) : trace.name;
  if (has_others) label += " GPU " + std::to_string(device);
  return label;
}

/// A trace that claims a rank that another one has is left out.
void drop_doubled(Run& run) {
  std::map<std::uint32_t, const TraceIdentity*> owners;
  std::erase_if(run.ranks, [&](const RankId& one) {
    if (!one.rank) return false;
    const auto [owner, is_new] = owners.try_emplace(*one.rank, one.trace);
    if (is_new || owner->second == one.trace) return false;
    run.remarks.push_back("rank " + std::to_string(*one.rank) + " is in " + owner->second->name +
                          " and in " + one.trace->name +
                          ": comparisons of ranks leave the latter out");
    return true;
  });
}

void find_missing(Run& run) {
  std::set<std::uint32_t> there;
  for (const RankId& one : run.ranks) {
    if (one.rank) there.insert(*one.rank);
    if (one.trace->world_size) run.world = std::max(run.world.value_or(0), *one.trace->world_size);
  }
  for (std::uint32_t rank = 0; run.world && rank < std::min(*run.world, kMostRanks); ++rank) {
    if (!there.contains(rank)) run.missing.push_back(rank);
  }
}

}  // namespace

std::vector<Run> runs_of(const TraceSet& traces, std::span<const RankSummary> summaries) {
  const HostAxes axes = axes_of(traces);
  std::map<std::size_t, std::size_t> gpus;  // by trace
  for (const RankSummary& summary : summaries) ++gpus[summary.trace];
  std::vector<Run> runs;
  std::vector<std::map<std::size_t, std::size_t>> hosts;  // of each run, by the first trace there
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const RankSummary& summary = summaries[i];
    if (summary.kernels == 0) continue;
    const TraceIdentity& trace = traces.members()[summary.trace].identity;
    auto run = std::ranges::find(runs, trace.run, &Run::id);
    if (run == runs.end()) {
      runs.push_back({.id = trace.run});
      hosts.emplace_back();
      run = runs.end() - 1;
    }
    const std::size_t first = axes.first[summary.trace];
    const auto [host, is_new] =
        hosts[static_cast<std::size_t>(run - runs.begin())].try_emplace(first, run->hosts.size());
    if (is_new) run->hosts.push_back(trace.host.empty() ? "host of " + trace.name : trace.host);
    const auto begin = axes.begin_ns.find(first);
    const std::int64_t begin_ns = begin == axes.begin_ns.end() ? 0 : begin->second;
    run->ranks.push_back({.trace = &trace,
                          .summary = i,
                          .device = summary.device,
                          .rank = trace.rank,
                          .label = label_of(trace, summary.device, gpus[summary.trace] > 1),
                          .host = host->second,
                          .base_ns = sum_of_times(begin_ns, trace.offset_ns)});
  }
  for (Run& run : runs) {
    std::ranges::stable_sort(run.ranks, {}, [](const RankId& one) {
      return std::pair(one.rank.value_or(UINT32_MAX), one.device);
    });
    drop_doubled(run);
    find_missing(run);
  }
  return runs;
}

std::string list_of(std::span<const std::uint32_t> numbers) {
  std::string list;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (++parts > kListed) return list + ", ...";
    if (!list.empty()) list += ", ";
    list += std::to_string(numbers[i]);
    if (last > i) list += (last > i + 1 ? " to " : ", ") + std::to_string(numbers[last]);
    i = last + 1;
  }
  return list;
}

}  // namespace prof::ranks
