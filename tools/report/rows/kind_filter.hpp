// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// KindFilter: applies a RowFilter to the rows of a row kind. A filter of a column that the rows
// lack does not apply to them: the command line has refused what applies to no row of a report.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/filter/host_filter.hpp"
#include "tools/report/filter/row_filter.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/row_kind.hpp"

namespace prof::reports {

class KindFilter {
 public:
  /// All must outlive it.
  KindFilter(const RowKind& kind, const RowInput& input, TraceReader& trace);

  /// Each filter is asked about every row, so that one that never matches is known.
  bool takes(Row& row);

 private:
  struct ByColumn {
    std::size_t index = 0;  // in the filter
    std::vector<const Field*> fields;
  };

  bool passes(const ByColumn& by, Row& row);
  /// Empty: absent. Valid until the next call.
  std::string_view text_of(const Cell& cell, const Column& column);

  const RowKind& kind_;
  const RowFilter& filter_;
  FilterTally& tally_;
  const Captures& captures_;
  HostFilter host_;
  std::vector<ByColumn> columns_;
  std::string kept_, value_;
};

}  // namespace prof::reports
