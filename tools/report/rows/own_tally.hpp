// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OwnTally: the tally of rows that are no lines of their report, so that its notes do not count
// them. What became of the filters, and what there is to remark, reach the report's tally.
#pragma once

#include <algorithm>
#include <iterator>

#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

class OwnTally {
 public:
  /// The input's tally must outlive it.
  explicit OwnTally(const RowInput& input)
      : whole_(input.tally),
        input_{input.traces, input.reading, input.filter, own_, input.find_waits} {}
  OwnTally(const OwnTally&) = delete;
  OwnTally& operator=(const OwnTally&) = delete;
  ~OwnTally() {
    whole_.filter.merge(own_.filter);
    std::ranges::move(own_.remarks, std::back_inserter(whole_.remarks));
  }

  /// With this tally.
  [[nodiscard]] const RowInput& input() const { return input_; }

 private:
  Tally& whole_;
  Tally own_;
  RowInput input_;
};

}  // namespace prof::reports
