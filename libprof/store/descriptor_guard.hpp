// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps SQLite from writing into files that are not its own. A trace is written from inside the
// profiled program, which may close every descriptor that it sees (daemons do) and then open files
// of its own under the same numbers. Once installed, each write, truncation, lock and close of
// SQLite first checks that the descriptor still names the file that SQLite opened; if not, it
// fails, and the trace's writer reports that.
#pragma once

#include "libprof/base/output_file.hpp"

namespace prof {

/// Installs the guard into this copy of SQLite, for the whole process, once. Any thread.
void install_descriptor_guard();

/// Whether SQLite has the file open although it has no name any more in any folder. True where the
/// descriptor is gone, too: nobody can find what is in it. Any thread.
bool is_deleted(const FileIdentity& file);

}  // namespace prof
