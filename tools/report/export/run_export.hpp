// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report --export over open traces.
#pragma once

#include "libprof/store/read/trace_set.hpp"
#include "tools/report/options.hpp"
#include "tools/report/run_report.hpp"

namespace prof::exports {

/// Writes the file and prints notes and any errors to `streams.err`; returns the exit code. Throws
/// only std::bad_alloc.
int run_export(const TraceSet& traces, const reports::Options& options,
               const reports::Streams& streams);

}  // namespace prof::exports
