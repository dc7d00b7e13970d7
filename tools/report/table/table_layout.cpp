// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Column widths, see table_layout.hpp.
#include "tools/report/table/table_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/report/table/shorten.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kWidestUnsqueezed = 120;

// Columns of this rank and above leave before texts are cut to less than twice their least width.
constexpr std::uint8_t kMinorRank = 6;

/// The width of a column if no shrinking column may be wider than `cap`.
std::size_t capped(const ColumnNeed& need, std::size_t cap) {
  return need.may_shrink ? std::min(need.natural, std::max(need.least, cap)) : need.natural;
}

class Fit {
 public:
  Fit(const std::vector<ColumnNeed>& needs, std::size_t terminal, TableLayout& layout)
      : needs_(needs), terminal_(terminal), layout_(layout) {}

  /// Fills the layout.
  void run() {
    while (!fits_comfortably() && drop_one(kMinorRank)) {
    }
    while (!fits(0, 1) && drop_one(1)) {
    }
    layout_.gap = fits(widest(), 2) ? 2 : 1;
    std::size_t cap = widest();
    while (cap > 0 && !fits(cap, layout_.gap)) --cap;
    const std::size_t used = total(cap, layout_.gap);
    std::size_t spare = terminal_ > used ? terminal_ - used : 0;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      std::size_t width = capped(needs_[i], cap);
      if (layout_.shown[i] && width < needs_[i].natural && width == cap && spare > 0) {
        ++width;
        --spare;
      }
      layout_.widths[i] = width;
    }
  }

 private:
  [[nodiscard]] std::size_t total(std::size_t cap, std::size_t gap) const {
    return sum_of([cap](const ColumnNeed& need) { return capped(need, cap); }, gap);
  }
  template <typename WidthOf>
  [[nodiscard]] std::size_t sum_of(WidthOf width_of, std::size_t gap) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      if (layout_.shown[i]) sum += width_of(needs_[i]) + (sum > 0 ? gap : 0);
    }
    return sum;
  }
  [[nodiscard]] bool fits(std::size_t cap, std::size_t gap) const {
    return total(cap, gap) <= terminal_;
  }
  [[nodiscard]] bool fits_comfortably() const {
    return sum_of([](const ColumnNeed& need) { return capped(need, 2 * need.least); }, 1) <=
           terminal_;
  }
  [[nodiscard]] std::size_t widest() const {
    std::size_t width = 0;
    for (const ColumnNeed& need : needs_) width = std::max(width, need.natural);
    return width;
  }

  /// Drops the column of the highest rank. False: none has `rank` or more.
  bool drop_one(std::uint8_t rank) {
    std::size_t dropped = needs_.size();
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      if (!layout_.shown[i] || needs_[i].drop_rank < rank) continue;
      rank = needs_[i].drop_rank;
      dropped = i;
    }
    if (dropped == needs_.size()) return false;
    layout_.shown[dropped] = false;
    return true;
  }

  const std::vector<ColumnNeed>& needs_;
  std::size_t terminal_;
  TableLayout& layout_;
};

}  // namespace

TableLayout fit_columns(const std::vector<ColumnNeed>& needs, std::optional<std::size_t> terminal) {
  TableLayout layout;
  layout.widths.resize(needs.size());
  layout.shown.assign(needs.size(), true);
  if (terminal) {
    Fit(needs, *terminal, layout).run();
  } else {
    for (std::size_t i = 0; i < needs.size(); ++i) {
      layout.widths[i] = capped(needs[i], kWidestUnsqueezed);
    }
  }
  return layout;
}

namespace {

constexpr std::string_view kHow = "; pipe to less -S to see all";

/// "gflop, mb, 3 more", the first `named` by name.
std::string names(const std::vector<std::string_view>& columns, std::size_t named) {
  std::string text;
  for (std::size_t i = 0; i < named; ++i) text.append(i > 0 ? ", " : "").append(columns[i]);
  const std::size_t rest = columns.size() - named;
  if (rest == 0) return text;
  if (named == 0) return fmt::format("{} column{}", rest, rest > 1 ? "s" : "");
  return fmt::format("{}, {} more", text, rest);
}

}  // namespace

std::string LeftOut::to_line(std::size_t width) const {
  const std::string cut = texts ? fmt::format("names are cut at {}", kCutMark) : "";
  if (columns.empty()) return texts ? cut + std::string(kHow) : "";
  const std::string end = (texts ? "; " + cut : "") + std::string(kHow);
  std::string line;
  for (std::size_t named = columns.size() + 1; named-- > 0;) {
    line = "not shown: " + names(columns, named) + end;
    const std::size_t mark = texts ? kCutMark.size() - 1 : 0;  // Bytes that take no column.
    if (line.size() - mark <= width) break;
  }
  return line;
}

}  // namespace prof::reports
