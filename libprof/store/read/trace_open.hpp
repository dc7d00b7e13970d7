// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a trace.db for reading, in whatever state it is: complete, read-only, left by a killed
// capture (whose last transaction SQLite rolls back), or still being written. Only that rollback
// changes the user's file; if the file cannot be changed, a private copy is read. No other file is
// created, changed or deleted, except the journal that was rolled back: a trace may come from
// anyone.
#pragma once

#include <cstdint>
#include <string>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

struct OpenedTrace {
  SqliteDb db;
  bool still_written;        ///< The database is a copy of the state committed at that moment.
  std::int32_t version = 0;  ///< Version of the trace's schema.
};

/// The kind of file that the first bytes indicate; only open_trace() finds out whether it can be
/// read.
enum class FileKind : std::uint8_t { kTrace, kOtherDatabase, kNoDatabase };
FileKind kind_of_file(const std::string& path);

/// Reads every version of the schema that there has been since kOldestSchema. Errors are one line
/// each: missing, not a trace, of another program, newer, truncated, not readable, with another
/// file's journal, with something else in a table's place. The connection can read only the trace's
/// tables.
Result<OpenedTrace> open_trace(const std::string& path);

/// Opens another program's database with the same care; it and its companion files never change. A
/// database that needs a rollback or has a write-ahead log is read through a private copy. The
/// connection can read only the tables that SqliteDb::allow_only() then names.
Result<SqliteDb> open_foreign_database(const std::string& path);

}  // namespace prof
