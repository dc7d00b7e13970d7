// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The process's one capture: started with the driver, by prof_start() or as a window, ended by
// prof_stop(), with its window or at process exit. Handles all concurrent and nested cases (two
// threads, a fork, an exit, the driver calling InitializeInjection while prof_start() initializes
// it). Nothing here throws. Threads: any.
#pragma once

#include "libprof/control/collector_api.hpp"

namespace prof::collectors {

/// The driver will call InitializeInjection: until then a program cannot start a capture of its
/// own.
void expect_automatic_capture();

/// Starts a capture, or the windows, as configured in the environment, unless one is in progress or
/// PROF_START=manual. On failure prints one line to stderr with the reason.
void start_capture_from_environment();

/// Ends the capture of this process, if it has one. For exit handlers; a second call does nothing.
void end_capture_at_exit();

/// Counts and reports launches after that. Runs last, from the library's destructor.
void report_late_launches();

/// Makes forked children safe. Idempotent.
void watch_forks();

const ProfCollectorApi& collector_api();

}  // namespace prof::collectors
