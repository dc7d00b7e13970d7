// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/ranks/shown_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libprof/base/statistics.hpp"
#include "tools/report/ranks/cause_text.hpp"

namespace prof::reports {
namespace {

/// So many ranks are all shown.
constexpr std::size_t kFewRanks = 4;

struct StandingOfRank {
  std::uint32_t rank = 0;
  const RankStanding* standing = nullptr;
};

bool is_one_run_of_many(const TraceSet& traces) {
  std::set<std::uint32_t> ranks;
  for (const TraceMember& trace : traces.members()) {
    if (!trace.identity.rank || trace.identity.run != traces.members().front().identity.run) {
      return false;
    }
    ranks.insert(*trace.identity.rank);
  }
  return ranks.size() > kFewRanks;
}

/// The rank other than `late` whose waits are closest to the median of all such ranks.
const StandingOfRank* usual_one(const std::vector<StandingOfRank>& all,
                                const StandingOfRank& late) {
  std::vector<double> waits;
  for (const StandingOfRank& one : all) {
    if (one.rank != late.rank) waits.push_back(one.standing->waits_ns);
  }
  if (waits.empty()) return nullptr;
  const double middle = median(waits);
  const StandingOfRank* nearest = nullptr;
  const auto distance = [&](const StandingOfRank& one) {
    return std::abs(one.standing->waits_ns - middle);
  };
  for (const StandingOfRank& one : all) {
    if (one.rank == late.rank) continue;
    if (nearest == nullptr || distance(one) < distance(*nearest)) nearest = &one;
  }
  return nearest;
}

ColumnFilter filter_of(std::vector<std::string> ranks) {
  const auto options = filter_options();
  const auto option = std::ranges::find(options, "--rank", &FilterOption::flag);
  return {.option = &*option, .patterns = std::move(ranks)};
}

}  // namespace

Result<std::optional<ShownRanks>> shown_ranks(const TraceSet& traces,
                                              const FindRankWaits& find_waits) {
  if (!is_one_run_of_many(traces)) return std::optional<ShownRanks>();
  const Result<const RankWaits*> waits = find_waits();
  if (!waits) return waits.error();
  if (*waits == nullptr) return std::optional<ShownRanks>();
  std::vector<StandingOfRank> all;
  for (const auto& [device, of] : (*waits)->devices()) {
    if (of.standing.ranks > 0) all.push_back({*device.first->rank, &of.standing});
  }
  if (all.empty()) return std::optional<ShownRanks>();
  std::ranges::stable_sort(all, {}, &StandingOfRank::rank);
  const StandingOfRank& late = *std::ranges::max_element(all, {}, [](const StandingOfRank& one) {
    return std::pair(one.standing->cost_ns, one.standing->waited_for_ns);
  });
  const StandingOfRank* const usual = usual_one(all, late);
  if (usual == nullptr) return std::optional<ShownRanks>();
  const std::string cause = late.standing->cause.empty() ? "" : ": " + late.standing->cause;
  const std::string lateness =
      late.standing->cost_ns > 0
          ? fmt::format("which makes a step ~{} longer", time_text(late.standing->cost_ns))
          : fmt::format("for which others wait longest ({})",
                        time_text(late.standing->waited_for_ns));
  return std::optional<ShownRanks>(
      {.filter = filter_of({std::to_string(late.rank), std::to_string(usual->rank)}),
       .remark = fmt::format(
           "shown of {} ranks: rank {}, which waits as most do ({} of a step), and rank {}, {}{}; "
           "-r ranks compares all, --rank '*' shows each",
           all.size(), usual->rank, time_text(usual->standing->waits_ns), late.rank, lateness,
           cause)});
}

}  // namespace prof::reports
