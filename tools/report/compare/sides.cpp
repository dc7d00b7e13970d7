// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "libprof/base/count_text.hpp"
#include "tools/common/result_file.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMostGpusNamed = 4;

struct SideFacts {
  std::set<std::string> gpus;  // names of models
  std::set<std::uint32_t> ranks;
  std::optional<std::uint32_t> world;

  explicit SideFacts(std::span<const TraceMember> traces) {
    for (const TraceMember& trace : traces) {
      for (const DeviceRow& device : trace.reader.devices()) gpus.insert(device.name);
      if (trace.identity.rank) ranks.insert(*trace.identity.rank);
      if (trace.identity.world_size)
        world = std::max(world.value_or(0), *trace.identity.world_size);
    }
  }
  [[nodiscard]] std::size_t size() const {
    return std::max<std::size_t>(world.value_or(0), ranks.size());
  }
};

void add_missing(const SideFacts& side, std::string_view which, std::vector<std::string>& lines) {
  if (side.ranks.empty() || side.ranks.size() >= side.size()) return;
  lines.push_back(
      fmt::format("on the {} side, {} of {} ranks have no trace: what waits for them, or "
                  "they wait for, is not known",
                  which, grouped(side.size() - side.ranks.size()), grouped(side.size())));
}

void add_alone(const std::vector<std::string>& names, std::string_view side,
               std::vector<std::string>& lines) {
  if (names.empty()) return;
  const std::size_t shown = std::min(names.size(), kMostGpusNamed);
  std::string line = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
  if (shown < names.size()) line += fmt::format("; and {} more", grouped(names.size() - shown));
  lines.push_back(fmt::format("on the {} side alone, and not compared: {}", side, line));
}

}  // namespace

std::vector<std::string> unlike_sides(const TraceSet& traces, std::size_t base_traces,
                                      const GpuPairs& pairs) {
  const std::span<const TraceMember> all(traces.members());
  const std::size_t base_count = std::min(base_traces, all.size());
  const SideFacts base(all.first(base_count)), fresh(all.subspan(base_count));
  std::vector<std::string> lines;
  if (!base.gpus.empty() && !fresh.gpus.empty() && base.gpus != fresh.gpus) {
    lines.push_back(fmt::format("the sides ran on different GPUs: {} before, {} after",
                                fmt::join(base.gpus, ", "), fmt::join(fresh.gpus, ", ")));
  }
  if (!base.ranks.empty() && !fresh.ranks.empty() && base.size() != fresh.size()) {
    lines.push_back(fmt::format("the sides have different numbers of ranks: {} before, {} after",
                                grouped(base.size()), grouped(fresh.size())));
  }
  add_missing(base, "base", lines);
  add_missing(fresh, "new", lines);
  add_alone(pairs.base_alone, "base", lines);
  add_alone(pairs.fresh_alone, "new", lines);
  return lines;
}

bool are_same_files(const TraceSet& traces, std::size_t base_traces) {
  const auto& members = traces.members();
  const auto is_there = [&](const TraceMember& one, std::size_t from, std::size_t to) {
    return std::any_of(members.begin() + static_cast<std::ptrdiff_t>(from),
                       members.begin() + static_cast<std::ptrdiff_t>(to),
                       [&](const TraceMember& other) {
                         return tools::same_file(one.reader.path(), other.reader.path());
                       });
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool is_base = i < base_traces;
    if (!is_there(members[i], is_base ? base_traces : 0, is_base ? members.size() : base_traces)) {
      return false;
    }
  }
  return true;
}

}  // namespace prof::reports
