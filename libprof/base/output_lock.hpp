// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Who is writing an output file. A writer holds a write lock on the bytes that SQLite locks, which
// lie far behind any content, so the same question works for traces and for text. Functions of the
// file system; any thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "libprof/base/result.hpp"

namespace prof {

/// The process that is writing `path`; 0: none. Do not ask about a file that the calling process
/// itself writes: closing it again would give up this process's own lock.
pid_t writer_of(const std::string& path);

/// Holds the lock for as long as the descriptor, or the process, lives. Not inherited by a fork.
/// False: somebody else has it. Where the file system knows no locks it is taken for granted.
bool lock_output(int descriptor);

/// Removes what an earlier run left at `path`: a regular file with its journal, or a symbolic link
/// (never what it points to). Refuses a file that is being written; a writer that begins at this
/// very moment either keeps its file, or finds before its first record that it has none.
Status remove_finished_output(const std::string& path);

}  // namespace prof
