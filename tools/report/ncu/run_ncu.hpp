// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-report --ncu: prints the command line on stdout, and what to know about it on stderr.
#pragma once

#include "tools/report/run_report.hpp"

namespace prof::reports {

/// Returns the exit code.
int run_ncu(const TraceSet& traces, const Options& options, const Streams& streams);

}  // namespace prof::reports
