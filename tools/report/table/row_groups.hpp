// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowGroups: which headings and labels (Column::Place) of a row differ from those of the row
// before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::reports {

class RowGroups {
 public:
  explicit RowGroups(std::size_t columns = 0) : last_(columns) {}

  void next_row() { is_new_ = false; }
  /// Whether the column's text, or that of a column asked about before in this row, is new. Ask
  /// about outer columns first.
  bool is_new(std::size_t column, std::string_view text) {
    std::optional<std::string>& last = last_[column];
    if (!last || *last != text) {
      last = text;
      is_new_ = true;
    }
    return is_new_;
  }

 private:
  std::vector<std::optional<std::string>> last_;
  bool is_new_ = false;
};

}  // namespace prof::reports
