// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses the ranks that a page has in full if a run has many; of the others it has the comparisons
// alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/query/report.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

struct PageRanks {
  std::vector<std::size_t> members;  ///< Indices into the trace set, the most important first.
  std::string remark;                ///< States which ranks these are, and how to get another.
};

/// The ranks that --rank chooses. Without that option, if there are many ranks: the first ones of
/// `stragglers`, the one that waits longest, and one that waits as most do. Nullopt: all.
Result<std::optional<PageRanks>> page_ranks(const RowInput& input, const Report& stragglers);

/// Waits of a part of the traces for all others, too.
FindRankWaits rank_waits_of_part(const TraceSet& part, const TraceSet& all, FindRankWaits of_all);

}  // namespace prof::reports
