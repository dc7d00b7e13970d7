// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report over open traces: report, renderer, notes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "tools/common/streams.hpp"
#include "tools/report/options/options.hpp"

namespace prof::reports {

/// What the column says in each line that the first report has for people.
Result<std::vector<std::string>> texts_of(const TraceSet& traces, const Options& options,
                                          std::string_view column, const tools::Streams& streams);

/// Prints the report and any errors; returns the exit code. Throws only std::bad_alloc.
int run_report(const TraceSet& traces, const Options& options, const tools::Streams& streams);

}  // namespace prof::reports
