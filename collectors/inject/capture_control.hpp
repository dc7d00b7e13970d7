// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The process's one capture: begun by the driver's start or by prof_start(), ended by prof_stop()
// or the process's end. Everything that may come at once or inside one another (two threads, a
// fork, an exit, the driver calling InitializeInjection while prof_start() wakes it) is sorted out
// here. Nothing here throws. Threads: any.
#pragma once

#include "collectors/inject/control.hpp"

namespace prof::collectors {

/// The driver will call InitializeInjection: until then a program cannot begin a capture of its
/// own.
void expect_automatic_capture();

/// Begins a capture as the environment says, unless one is on its way or PROF_START=manual. Says in
/// one line on stderr why it could not.
void start_capture_from_environment();

/// Ends the capture of this process, if it has one. For exit handlers; a second call does nothing.
void end_capture_at_exit();

/// Counts and tells of what was launched after that. For the very last: the library's destructor.
void tell_late_launches();

/// Makes forked children safe. Idempotent.
void watch_forks();

const ProfCollectorApi& collector_api();

}  // namespace prof::collectors
