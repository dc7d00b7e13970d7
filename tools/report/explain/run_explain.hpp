// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-report --explain: why one row is attributed as it is, on stdout.
#pragma once

#include <cstdint>

#include "libprof/store/read/trace_set.hpp"
#include "tools/common/streams.hpp"
#include "tools/report/filter/row_filter.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

/// Explains the row `idx` of kernels, or with copies and sets if the filter has them; a table
/// stands for text. Returns the exit code.
int run_explain(const TraceSet& traces, const RowFilter& filter, std::uint64_t idx, Form form,
                const tools::Streams& streams);

}  // namespace prof::reports
