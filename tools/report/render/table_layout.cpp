// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Column widths, see table_layout.hpp.
#include "tools/report/render/table_layout.hpp"

#include <algorithm>
#include <numeric>

namespace prof::reports {
namespace {

constexpr std::size_t kWidestUnsqueezed = 64;

std::size_t capped(const ColumnNeed& need, std::size_t cap) {
  return need.may_shrink ? std::min(need.natural, std::max(need.least, cap)) : need.natural;
}

std::size_t total_width(const std::vector<ColumnNeed>& needs, std::size_t cap, std::size_t gap) {
  const std::size_t gaps = needs.empty() ? 0 : gap * (needs.size() - 1);
  return std::accumulate(
      needs.begin(), needs.end(), gaps,
      [cap](std::size_t sum, const ColumnNeed& need) { return sum + capped(need, cap); });
}

}  // namespace

TableLayout fit_columns(const std::vector<ColumnNeed>& needs, std::optional<std::size_t> terminal) {
  std::size_t widest = 0;
  for (const ColumnNeed& need : needs) widest = std::max(widest, need.natural);
  TableLayout layout;
  std::size_t cap = terminal ? widest : kWidestUnsqueezed;
  std::size_t spare = 0;
  if (terminal) {
    if (total_width(needs, 0, layout.gap) > *terminal) layout.gap = 1;
    while (cap > 0 && total_width(needs, cap, layout.gap) > *terminal) --cap;
    const std::size_t used = total_width(needs, cap, layout.gap);
    spare = *terminal > used ? *terminal - used : 0;
  }
  for (const ColumnNeed& need : needs) {
    std::size_t width = capped(need, cap);
    if (need.may_shrink && width < need.natural && width >= cap && spare > 0) {
      ++width;
      --spare;
    }
    layout.widths.push_back(width);
  }
  return layout;
}

}  // namespace prof::reports
