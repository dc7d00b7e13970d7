// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NestedRows: rows that lie inside of others on their thread, as CUDA calls do. A row inside
// another of its group is part of that one: its time must not count twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace prof::reports {

/// Where a row lies on its thread.
struct Nesting {
  std::uint32_t thread = 0;
  std::size_t depth = 0;  ///< Number of recorded rows around it.
  std::int64_t end_ns = 0;
};

class NestedRows {
 public:
  struct Around {
    bool in_another = false;        ///< Inside another row.
    bool in_its_own_group = false;  ///< Inside another row of the same group.
  };

  /// The rows of a thread come in the order of their starts; some may be left out.
  Around enter(const Nesting& row, std::size_t group) {
    std::vector<Outer>& around = threads_[row.thread];
    if (around.size() > row.depth) around.resize(row.depth);
    while (!around.empty() && around.back().end_ns < row.end_ns) around.pop_back();
    Around found{.in_another = !around.empty()};
    for (const Outer& outer : around) found.in_its_own_group |= outer.group == group;
    around.push_back({group, row.end_ns});
    return found;
  }

  /// Before another trace, whose threads are others.
  void clear() { threads_.clear(); }

 private:
  struct Outer {
    std::size_t group = 0;
    std::int64_t end_ns = 0;
  };
  std::unordered_map<std::uint32_t, std::vector<Outer>> threads_;
};

}  // namespace prof::reports
