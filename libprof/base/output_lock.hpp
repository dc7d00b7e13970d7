// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds out who is writing an output file. A writer holds a write lock on the bytes that SQLite
// locks, far beyond any content, so the same check works for traces and for text. Any thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "libprof/base/result.hpp"

namespace prof {

/// The process that is writing `path`; 0: none. Not for a file that the calling process itself
/// writes: closing it would release this process's own lock.
pid_t writer_of(const std::string& path);

/// Takes the lock, held until the descriptor is closed or the process ends; not inherited by a
/// fork. False: another process has it. Succeeds on file systems without locks.
bool lock_output(int descriptor);

/// Removes what an earlier run left at `path`: a regular file with its journal, or a symbolic link
/// (never its target). Refuses a file that is being written; a writer that starts at this very
/// moment either keeps its file or notices before its first record that it is gone.
Status remove_finished_output(const std::string& path);

/// Removes a file that this process has created and could not make more of, unless it was removed
/// or replaced already. The process's other locks on it must be gone.
void remove_unfinished_output(const std::string& path, int descriptor);

}  // namespace prof
