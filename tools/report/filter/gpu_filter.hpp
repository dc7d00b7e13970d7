// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PlaceChooser: applies --device and --rank to reports that have lines about whole GPUs. These read
// all work, because the time of a GPU's step depends on what its process does elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "libprof/store/trace_set.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::reports {

/// Rows are chosen by nothing but --step, --capture, --device and --rank.
inline bool chooses_whole_gpus(const Choice& choice) {
  const auto is_place = [](const ColumnFilter& filter) {
    return filter.option->flag == "--device" || filter.option->flag == "--rank";
  };
  return choice.ranges.empty() && std::ranges::all_of(choice.columns, is_place);
}

class PlaceChooser {
 public:
  /// Both must outlive it. The tally learns what there is; nothing else may count columns there.
  PlaceChooser(const Choice& choice, ChoiceTally& tally) : choice_(choice), tally_(tally) {
    tally.columns.assign(choice.columns.size(), {});
    for (ChoiceTally::OfFilter& filter : tally.columns) filter.applies = true;
  }

  bool takes(const TraceIdentity& trace, std::uint32_t device) {
    bool is_wanted = true;
    for (std::size_t i = 0; i < choice_.columns.size(); ++i) {
      const ColumnFilter& filter = choice_.columns[i];
      const bool by_rank = filter.option->flag == "--rank";
      std::string value;
      if (!by_rank) value = std::to_string(device);
      if (by_rank && trace.rank) value = std::to_string(*trace.rank);
      const bool is_match = filter.matches(value);
      tally_.columns[i].count(is_match, value);
      is_wanted = is_wanted && is_match;
    }
    return is_wanted;
  }

 private:
  const Choice& choice_;
  ChoiceTally& tally_;
};

}  // namespace prof::reports
