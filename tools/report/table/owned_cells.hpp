// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OwnedCells: a row's cells with all that they point to, to be kept beyond the row.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tools/report/table/cell.hpp"

namespace prof::reports {

class OwnedCells {
 public:
  explicit OwnedCells(std::span<const Cell> cells);
  OwnedCells(OwnedCells&&) = default;
  OwnedCells& operator=(OwnedCells&&) = default;

  [[nodiscard]] std::span<const Cell> cells() const { return cells_; }

 private:
  std::vector<Cell> cells_;
  std::unique_ptr<char[]> texts_;
  std::vector<std::vector<Tensor>> tensors_;
  std::vector<std::vector<WordPair>> pairs_;
};

/// Absent if the cell is no number.
std::optional<long double> number_in(const Cell& cell);

/// By value: numbers, then texts, absent last. Lists and objects compare as their JSON texts.
int compare_cells(const Cell& a, const Cell& b);

}  // namespace prof::reports
