// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The process that prof-run became reports at its exit that its run left no trace
// (docs/decisions/0004-harmless.md). Other processes of the run do nothing here.
#pragma once

namespace prof::collectors {

/// To be called when the collector is loaded: the program may clear its environment, or leave /proc
/// behind.
void expect_trace_of_run();

/// To be called last.
void report_missing_trace();

}  // namespace prof::collectors
