// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds what ranks wait for, for the row kinds that look it up.
#pragma once

#include "tools/report/rows/rank_waits.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// All of the traces' work counts, whatever a report chooses. The result is kept for further
/// reports. The traces and `reading` must outlive it. The first `base_traces` are a side of their
/// own: nobody waits for a rank of the other side.
FindRankWaits find_rank_waits(const TraceSet& traces, Reading& reading,
                              std::size_t base_traces = 0);

}  // namespace prof::reports
