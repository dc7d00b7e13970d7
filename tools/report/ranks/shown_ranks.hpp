// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The ranks that a table for people shows, if it has lines for each GPU and the run has many ranks:
// the one that costs most or for which others wait longest, and one that waits as most do.
#pragma once

#include <optional>
#include <string>

#include "tools/report/filter/row_filter.hpp"
#include "tools/report/rows/rank_waits.hpp"

namespace prof::reports {

struct ShownRanks {
  ColumnFilter filter;  ///< As --rank would.
  std::string remark;   ///< States which ranks these are.
};

/// Nullopt: all, since they are few, or belong to several runs, or are not numbered. Reads all
/// traces unless `find_waits` already has.
Result<std::optional<ShownRanks>> shown_ranks(const TraceSet& traces,
                                              const FindRankWaits& find_waits);

}  // namespace prof::reports
