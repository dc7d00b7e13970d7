// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GroupSpill: groups that are too many for memory. Partial sums go to temporary files, where they
// are sorted by key and merged, then sorted by weight.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "analyzers/base/record_sort.hpp"
#include "libprof/base/result.hpp"
#include "tools/report/rows/sums.hpp"

namespace prof::reports {

class GroupSpill {
 public:
  /// False: no more groups.
  using Visit = std::function<bool(std::span<const Cell> cells, const Sums& sums)>;

  GroupSpill(std::size_t memory_bytes, const SumKind& kind)
      : kind_(kind), by_key_(memory_bytes / 2), by_weight_(memory_bytes / 2) {}

  /// Sums of some rows of the group with these cells, whose key is `key`.
  Status add(std::string_view key, std::span<const Cell> cells, const Sums& sums);
  /// After the last add(), once: calls `visit` for each group, heaviest first, then by key.
  Status visit(const Visit& visit);

 private:
  struct ByKey {
    bool operator()(std::string_view a, std::string_view b) const;
  };

  /// Compares records that begin with the second number of a weight.
  struct ByWeight {
    bool operator()(std::string_view a, std::string_view b) const;
  };

  Status merge();
  Status add_whole(const Sums& sums, std::string_view cells);

  const SumKind& kind_;
  RecordSort<ByKey> by_key_;
  RecordSort<ByWeight> by_weight_;
  std::string record_;
};

}  // namespace prof::reports
