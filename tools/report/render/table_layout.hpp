// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Column widths of a text table: as wide as the sampled cells need, squeezed into a terminal where
// one is too narrow. Pure arithmetic.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace prof::reports {

struct ColumnNeed {
  std::size_t natural = 0;    ///< Widest of the header and the sampled cells.
  std::size_t preferred = 0;  ///< Not to be squeezed below this while other columns can be.
  std::size_t least = 0;      ///< Not to be squeezed below this at all.
  bool may_shrink = false;
};

struct TableLayout {
  std::vector<std::size_t> widths;
  std::size_t gap = 2;  ///< Blanks between two columns.
};

/// With a terminal's width: gaps are narrowed first; then columns that may shrink share what the
/// others leave, the short ones keeping their width. Where not even that fits, lines are longer
/// than the terminal. Without: texts that are longer than most people's screens do not widen the
/// whole column; they stick out.
TableLayout fit_columns(const std::vector<ColumnNeed>& needs, std::optional<std::size_t> terminal);

}  // namespace prof::reports
