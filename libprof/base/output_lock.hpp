// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Identifies the writer of an output file. A writer holds a write lock on the bytes that SQLite
// locks, far beyond any content, so the same check works for traces and for text. The lock belongs
// to the open file (F_OFD_SETLK), not to the process: a program that opens its own trace and closes
// it again does not drop it. If the system has no such locks, the process's locks are used. Any
// thread.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <string>

#include "libprof/base/result.hpp"

namespace prof {

/// Takes the lock, held until every copy of the descriptor is closed. False: another open file has
/// it. Succeeds on file systems without locks.
bool lock_output(int descriptor);

/// The process that is writing `path`; 0: none; -1: one that cannot be determined.
pid_t writer_of(const std::string& path);
pid_t writer_of(int descriptor);

/// "process 1234", or "another process".
std::string name_of_writer(pid_t writer);

/// fcntl() for a lock: F_SETLK, F_SETLKW and F_GETLK become their counterparts for open files.
int lock_open_file(int descriptor, int command, struct flock* lock);

}  // namespace prof
