// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps SQLite from writing to files that are not its own. A trace is written from inside the
// profiled program, which may close every descriptor (daemons do) and then open files of its own
// under the same numbers. Once installed, each write, truncation, lock and close by SQLite first
// checks that the descriptor still refers to the file that SQLite opened; if not, it fails, and the
// trace writer reports that.
#pragma once

#include "libprof/base/output_file.hpp"

namespace prof {

/// Installs the guard into this copy of SQLite, for the whole process, once. Any thread.
void install_descriptor_guard();

/// Whether SQLite has the file open although it was unlinked from every folder. Also true if the
/// descriptor is gone: its contents are unreachable. Any thread.
bool is_deleted(const FileIdentity& file);

}  // namespace prof
