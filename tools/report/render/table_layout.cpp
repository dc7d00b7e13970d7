// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Column widths, see table_layout.hpp.
#include "tools/report/render/table_layout.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace prof::reports {
namespace {

constexpr std::size_t kWidestUnsqueezed = 120;

enum class Floor : std::uint8_t { kPreferred, kLeast };

std::size_t capped(const ColumnNeed& need, std::size_t cap, Floor floor) {
  if (!need.may_shrink) return need.natural;
  const std::size_t low = floor == Floor::kPreferred ? need.preferred : need.least;
  return std::min(need.natural, std::max(low, cap));
}

std::size_t total_width(const std::vector<ColumnNeed>& needs, std::size_t cap, Floor floor,
                        std::size_t gap) {
  const std::size_t gaps = needs.empty() ? 0 : gap * (needs.size() - 1);
  return std::accumulate(needs.begin(), needs.end(), gaps,
                         [cap, floor](std::size_t sum, const ColumnNeed& need) {
                           return sum + capped(need, cap, floor);
                         });
}

}  // namespace

TableLayout fit_columns(const std::vector<ColumnNeed>& needs, std::optional<std::size_t> terminal) {
  std::size_t cap = kWidestUnsqueezed;
  std::size_t spare = 0;
  Floor floor = Floor::kPreferred;
  TableLayout layout;
  if (terminal) {
    cap = 0;
    for (const ColumnNeed& need : needs) cap = std::max(cap, need.natural);
    if (total_width(needs, cap, floor, layout.gap) > *terminal) layout.gap = 1;
    if (total_width(needs, 0, floor, layout.gap) > *terminal) floor = Floor::kLeast;
    while (cap > 0 && total_width(needs, cap, floor, layout.gap) > *terminal) --cap;
    const std::size_t used = total_width(needs, cap, floor, layout.gap);
    spare = *terminal > used ? *terminal - used : 0;
  }
  for (const ColumnNeed& need : needs) {
    std::size_t width = capped(need, cap, floor);
    if (width < need.natural && width == cap && spare > 0) {
      ++width;
      --spare;
    }
    layout.widths.push_back(width);
  }
  return layout;
}

}  // namespace prof::reports
