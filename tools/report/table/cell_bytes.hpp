// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells as bytes, for lines that are sorted in temporary files. Only the program that wrote them
// reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/report/table/cell.hpp"

namespace prof::reports {

void append_cell(const Cell& cell, std::string& bytes);

/// Reads cells. They point into the bytes and into the reader.
class CellReader {
 public:
  /// Ends the lives of the cells read so far.
  void clear();
  /// Removes a cell from the front of the bytes.
  Cell take(std::string_view& bytes);

 private:
  std::vector<std::vector<Tensor>> tensors_;
  std::vector<std::vector<WordPair>> pairs_;
};

}  // namespace prof::reports
