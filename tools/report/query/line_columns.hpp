// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports that make lines of their own instead of listing rows: what their cells are of a line.
#pragma once

#include <span>
#include <vector>

#include "tools/report/query/report.hpp"

namespace prof::reports {

template <typename Line>
struct LineColumn {
  Column column;
  Cell (*value)(const Line& line);
};

/// Writes the requested cells of one line after another.
template <typename Line>
class LineWriter {
 public:
  /// All must outlive it.
  LineWriter(std::span<const LineColumn<Line>> columns, const Request& request, RowSink& sink)
      : columns_(columns), request_(request), sink_(sink), cells_(request.columns.size()) {}

  /// False: the sink wants no more.
  [[nodiscard]] bool write(const Line& line) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      cells_[i] = columns_[request_.columns[i]].value(line);
    }
    return sink_.row(cells_);
  }

 private:
  std::span<const LineColumn<Line>> columns_;
  const Request& request_;
  RowSink& sink_;
  std::vector<Cell> cells_;
};

}  // namespace prof::reports
