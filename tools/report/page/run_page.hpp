// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report --html over open traces.
#pragma once

#include <cstddef>
#include <string>

#include "libprof/store/read/trace_set.hpp"
#include "tools/common/streams.hpp"
#include "tools/report/filter/row_filter.hpp"
#include "tools/report/query/registry.hpp"

namespace prof::reports {

struct Page {
  const Registry& registry;
  const RowFilter& filter;  ///< Chooses the rows to show.
  std::string path;
  /// For a comparison: the number of traces, the first ones, that are the base.
  std::size_t base_traces = 0;
  std::size_t jobs = 1;  ///< Threads that read traces.
};

/// Writes the file and prints warnings and any error to `streams.err`; returns the exit code.
/// Throws only std::bad_alloc.
int run_page(const TraceSet& traces, const Page& page, const tools::Streams& streams);

}  // namespace prof::reports
