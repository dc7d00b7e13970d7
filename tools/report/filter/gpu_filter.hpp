// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GpuFilter: applies --device and --rank to reports that have lines about whole GPUs. These read
// all work, because the time of a GPU's step depends on what its process does elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "libprof/store/read/trace_set.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::reports {

inline bool is_of_gpus(const ColumnFilter& by) {
  return by.option->flag == "--device" || by.option->flag == "--rank";
}

/// Rows are chosen by nothing but --step, --capture, --device and --rank.
inline bool chooses_whole_gpus(const RowFilter& filter) {
  return filter.ranges.empty() && std::ranges::all_of(filter.columns, is_of_gpus);
}

/// Rows are chosen by --device or --rank, among others.
inline bool chooses_gpus(const RowFilter& filter) {
  return std::ranges::any_of(filter.columns, is_of_gpus);
}

class GpuFilter {
 public:
  /// Both must outlive it. The tally learns what there is; nothing else may count columns there.
  GpuFilter(const RowFilter& filter, FilterTally& tally) : filter_(filter), tally_(tally) {
    tally.columns.assign(filter.columns.size(), {});
    for (FilterTally::OfFilter& column : tally.columns) column.applies = true;
  }

  bool takes(const TraceIdentity& trace, std::uint32_t device) {
    bool is_wanted = true;
    for (std::size_t i = 0; i < filter_.columns.size(); ++i) {
      const ColumnFilter& by = filter_.columns[i];
      const bool by_rank = by.option->flag == "--rank";
      std::string value;
      if (!by_rank) value = std::to_string(device);
      if (by_rank && trace.rank) value = std::to_string(*trace.rank);
      const bool is_match = by.matches(value);
      tally_.columns[i].count(is_match, value);
      is_wanted = is_wanted && is_match;
    }
    return is_wanted;
  }

 private:
  const RowFilter& filter_;
  FilterTally& tally_;
};

}  // namespace prof::reports
