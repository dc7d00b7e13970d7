// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Column widths of a text table: as wide as the sampled cells need, shrunk to fit a narrow
// terminal. Pure arithmetic.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace prof::reports {

struct ColumnNeed {
  std::size_t natural = 0;    ///< Widest of the header and the sampled cells.
  std::size_t preferred = 0;  ///< Not shrunk below this while other columns can shrink.
  std::size_t least = 0;      ///< Never shrunk below this.
  bool may_shrink = false;
};

struct TableLayout {
  std::vector<std::size_t> widths;
  std::size_t gap = 2;  ///< Spaces between columns.
};

/// With a terminal width: gaps shrink first; then columns that may shrink share the remaining
/// space, and short ones keep their width. If even that does not fit, lines exceed the terminal.
/// Without: a text wider than most screens does not widen its column; it overflows.
TableLayout fit_columns(const std::vector<ColumnNeed>& needs, std::optional<std::size_t> terminal);

}  // namespace prof::reports
