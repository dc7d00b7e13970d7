// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rollup: adds rows up in groups, and writes the groups, heaviest first, then their total, if the
// groups are by columns of the reader's choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tools/report/builtin/group_spill.hpp"
#include "tools/report/builtin/rollup_groups.hpp"
#include "tools/report/query/report.hpp"
#include "tools/report/rows/nested_rows.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/sums.hpp"

namespace prof::reports {

/// The source of a column: a key of the group, or one of its sums.
struct RollupColumn {
  const Field* key = nullptr;
  const SumField* sum = nullptr;
};

class Rollup {
 public:
  Rollup(const RowKind& kind, const SumKind& sums, std::vector<RollupColumn> chosen,
         const Request& request);

  /// False: it failed, and so will write().
  bool add(Row& row);
  /// After the last row.
  Status write(Tally& tally, RowSink& sink);

 private:
  void add_nested(Row& row);
  Status spill();
  Status write_spilled(RowSink& sink);
  /// False: the sink wants no more.
  bool write_groups(Tally& tally, RowSink& sink);
  void write_total(RowSink& sink);
  [[nodiscard]] std::vector<Cell> cells(std::span<const Cell> keys, const Sums& sums) const;

  const RowKind& kind_;
  const SumKind& sums_;
  std::vector<RollupColumn> chosen_;
  std::vector<const Field*> keys_;  // also those that are not among the chosen columns
  std::vector<Cell> cells_;         // of the keys of a row
  LayerView view_;                  // of key layer_at_; without that, plain
  std::size_t layer_at_ = 0;
  std::size_t memory_bytes_;
  std::unique_ptr<Sums> all_;
  RollupGroups groups_;
  std::optional<GroupSpill> spill_;       // once there were too many
  NestedRows nested_;                     // of the current trace
  const TraceIdentity* trace_ = nullptr;  // likewise
  std::uint64_t inner_rows_ = 0;
  Status status_;
};

}  // namespace prof::reports
