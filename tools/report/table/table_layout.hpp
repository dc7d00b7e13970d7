// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Column widths of a text table: as wide as the sampled cells need, and on a narrow terminal which
// columns shrink and which are dropped. Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/common/unicode.hpp"

namespace prof::reports {

struct ColumnNeed {
  std::size_t natural = 0;  ///< Widest of the header and the sampled cells.
  std::size_t least = 0;    ///< Never shrunk below this.
  bool may_shrink = false;
  std::uint8_t drop_rank = 0;  ///< See Column::drop_rank.
};

struct TableLayout {
  std::vector<std::size_t> widths;
  std::vector<bool> shown;  ///< For each column, whether there is room for it.
  std::size_t gap = 2;      ///< Spaces between columns.
};

/// With a terminal width: gaps shrink first; then the columns that may shrink share the space that
/// the others leave, and short ones keep their width. While that does not suffice, columns are
/// dropped by rank, of equal ranks the last one first; minor columns (rank 6 and above) are dropped
/// already if texts have less than twice their least width. If even that does not fit, lines exceed
/// the terminal. Without: a text wider than most screens does not widen its column; it overflows.
TableLayout fit_columns(const std::vector<ColumnNeed>& needs, std::optional<std::size_t> terminal);

// Column headers on two lines, where one is too wide: "Total Time (ns)" above numbers of nine
// digits.

struct HeaderLines {
  std::string_view upper, lower;  ///< `upper` is empty for a header on one line.

  [[nodiscard]] std::size_t width() const {
    return std::max(tools::display_width(upper), tools::display_width(lower));
  }
};

/// Divides a header at the blank that makes it narrowest, unless it fits into `width` as it is.
inline HeaderLines header_lines(std::string_view header, std::size_t width) {
  HeaderLines best{.upper = {}, .lower = header};
  if (best.width() <= width) return best;
  for (std::size_t blank = header.find(' '); blank < header.size();
       blank = header.find(' ', blank + 1)) {
    const HeaderLines lines{.upper = header.substr(0, blank), .lower = header.substr(blank + 1)};
    if (lines.width() < best.width()) best = lines;
  }
  return best;
}

// LeftOut: what a narrow table does not show, and how to see it, in one line.

struct LeftOut {
  std::vector<std::string_view> columns;  ///< Words of the dropped ones.
  bool texts = false;                     ///< Some are cut.

  /// In `width` columns, as far as that goes: of many columns it names the first ones. Empty:
  /// nothing is left out.
  [[nodiscard]] std::string to_line(std::size_t width) const;
};

}  // namespace prof::reports
