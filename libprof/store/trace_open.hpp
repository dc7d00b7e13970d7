// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a trace.db for reading, in whatever state it is: complete, read-only, left by a killed
// capture (whose last transaction SQLite rolls back), or still being written. The user's file is
// changed by nothing but that rollback, and where it cannot be changed a private copy is read. No
// other file is made, changed or deleted, but the journal that was rolled back; a trace may come
// from anybody.
#pragma once

#include <string>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite_db.hpp"

namespace prof {

struct OpenedTrace {
  SqliteDb db;
  bool still_written;  ///< A copy of what was committed when it was made.
};

/// Errors are one line each: missing, not a trace, foreign, newer, truncated, not readable, with a
/// foreign journal, with something else in a table's place. The connection reads those tables
/// alone.
Result<OpenedTrace> open_trace(const std::string& path);

}  // namespace prof
