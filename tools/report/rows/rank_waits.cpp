// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/rank_waits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyzers/ranks/roster.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

const RankWaits::OfDevice* RankWaits::find(const DeviceOfTrace& device) const {
  const auto found = devices_.find(device);
  return found != devices_.end() ? &found->second : nullptr;
}

std::optional<CollectiveWait> RankWaits::find(const DeviceOfTrace& device, std::int64_t start_ns,
                                              std::int64_t end_ns) const {
  const OfDevice* const of = find(device);
  if (of == nullptr) return std::nullopt;
  const std::vector<CollectiveWait>& all = of->collectives;
  auto found = std::ranges::lower_bound(all, start_ns, {}, &CollectiveWait::start_ns);
  for (; found != all.end() && found->start_ns == start_ns; ++found) {
    if (found->end_ns == end_ns) return *found;
  }
  return std::nullopt;
}

std::optional<CollectiveWait> RankWaits::find(const TraceIdentity& trace,
                                              const GpuRow& work) const {
  return find({&trace, work.device}, work.start_ns, sum_of_times(work.start_ns, work.duration_ns));
}

namespace {

/// The input may have a part of the ranks whose waits are known.
std::size_t ranks_read(const RankWaits* waits) {
  if (waits == nullptr || waits->devices().empty()) return 0;
  return waits->devices().begin()->second.standing.ranks;
}

}  // namespace

Result<const RankWaits*> rank_waits(const RowInput& input) {
  if (!input.find_waits) return nullptr;
  Result<const RankWaits*> found = input.find_waits();
  if (!found) return found;
  std::map<std::string_view, std::pair<std::uint32_t, std::set<std::uint32_t>>> runs;
  for (const TraceMember& trace : input.traces.members()) {
    auto& [world, there] = runs[trace.identity.run];
    world = std::max(world, trace.identity.world_size.value_or(0));
    if (trace.identity.rank) there.insert(*trace.identity.rank);
  }
  for (const auto& [run, of] : runs) {
    const auto& [world, there] = of;
    std::vector<std::uint32_t> missing;
    for (std::uint32_t rank = 0; rank < std::min(world, ranks::kMostRanks); ++rank) {
      if (!there.contains(rank)) missing.push_back(rank);
    }
    if (missing.empty() || there.empty() || ranks_read(*found) > there.size()) continue;
    input.tally.remark_once(fmt::format(
        "{} of the run {} no trace here: time in a collective may be a wait for {}, which {} would "
        "tell",
        (missing.size() > 1 ? "ranks " : "rank ") + ranks::list_of(missing),
        missing.size() > 1 ? "have" : "has", missing.size() > 1 ? "them" : "it",
        missing.size() > 1 ? "their traces" : "its trace"));
  }
  if (*found != nullptr && (*found)->is_estimated) {
    input.tally.remark_once(
        "waits for other ranks are estimated: collectives are matched by what they are and when "
        "they ran, as the traces have no sequence numbers of them");
  }
  return found;
}

}  // namespace prof::reports
