// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Column widths of a text table: as wide as the sampled cells need, and on a narrow terminal which
// columns shrink and which are dropped. Pure arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace prof::reports {

struct ColumnNeed {
  std::size_t natural = 0;  ///< Widest of the header and the sampled cells.
  std::size_t least = 0;    ///< Never shrunk below this.
  bool may_shrink = false;
  std::uint8_t drop_rank = 0;  ///< See Column::drop_rank.
};

struct TableLayout {
  std::vector<std::size_t> widths;
  std::vector<bool> shown;  ///< Of each column: whether there is room for it.
  std::size_t gap = 2;      ///< Spaces between columns.
};

/// With a terminal width: gaps shrink first; then the columns that may shrink share the space that
/// the others leave, and short ones keep their width. While that does not suffice, columns are
/// dropped by rank, of equal ranks the last one first; minor columns (rank 6 and above) are dropped
/// already if texts have less than twice their least width. If even that does not fit, lines exceed
/// the terminal. Without: a text wider than most screens does not widen its column; it overflows.
TableLayout fit_columns(const std::vector<ColumnNeed>& needs, std::optional<std::size_t> terminal);

}  // namespace prof::reports
