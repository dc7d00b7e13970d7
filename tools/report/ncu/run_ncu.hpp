// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-report --ncu: prints the command line on stdout, and what to know about it on stderr.
#pragma once

#include <cstdint>

#include "libprof/store/read/trace_set.hpp"
#include "tools/common/streams.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::reports {

/// Prints the command that measures the kernel `idx` of the rows that the filter leaves. Returns
/// the exit code.
int run_ncu(const TraceSet& traces, const RowFilter& filter, std::uint64_t idx,
            const tools::Streams& streams);

}  // namespace prof::reports
