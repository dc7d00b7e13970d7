// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps SQLite from writing to files that are not its own, and from losing its locks. A trace is
// written from inside the profiled program, which may close every descriptor, open files of its own
// under the same numbers, and open and close the trace itself. Once installed, each write,
// truncation, lock and close by SQLite first checks that the descriptor still refers to the file
// that SQLite opened (own_descriptors.hpp); if not, it fails, and the trace writer reports that. A
// lock belongs to the open file (output_lock.hpp), and a write is repeated if its failure may pass.
#pragma once

namespace prof {

/// Installs the guard into this copy of SQLite, for the whole process, once. Any thread.
void install_descriptor_guard();

}  // namespace prof
