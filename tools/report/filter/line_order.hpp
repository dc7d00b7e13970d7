// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LineOrder: sorts any number of lines by one cell, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/base/record_sort.hpp"
#include "libprof/base/result.hpp"
#include "tools/report/table/cell_bytes.hpp"

namespace prof::reports {

/// Below 0 if `a` comes first. The absent come last in both directions.
int compare_in_order(const Cell& a, const Cell& b, bool ascending);

/// A number for which holds: if it is lower, the cell comes first; if it is equal, compare. Cells
/// of the same text or number have the same.
std::uint64_t order_rank(const Cell& cell, bool ascending);

class LineOrder {
 public:
  static constexpr std::size_t kMemoryBytes = std::size_t{64} << 20;

  explicit LineOrder(bool ascending, std::size_t memory_bytes = kMemoryBytes)
      : ascending_(ascending), sort_(memory_bytes, Before{ascending}) {}

  Status add(const Cell& by, std::span<const Cell> line);
  /// The cells of the next line; none at the end, or after an error (status()). Valid until the
  /// next call. Equal lines come in the order in which they were added.
  std::span<const Cell> next();
  [[nodiscard]] const Status& status() const { return sort_.status(); }

 private:
  struct Before {
    bool ascending = false;
    bool operator()(std::string_view a, std::string_view b) const;
  };

  bool ascending_;
  RecordSort<Before> sort_;
  std::string record_;  // the cell of the order, then the line's
  CellReader reader_;
  std::vector<Cell> cells_;
};

}  // namespace prof::reports
