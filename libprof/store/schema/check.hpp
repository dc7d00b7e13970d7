// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that a trace's tables are those that a capture creates: not views, which could compute
// forever, not virtual tables, no computed columns. Users' own additions (views, tables, indexes,
// trailing columns) are ignored and never read, and so are objects with the name of a later
// version's addition.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "libprof/base/result.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

/// Checks a trace's tables by the schema of its version, and restricts `db` to them and to our own
/// views from now on. Statements see every trace as one of the present version: tables that were
/// added later have no rows, and columns are NULL.
Status check_tables(SqliteDb& db, std::int32_t version,
                    std::span<const schema::Table> tables = schema::tables());

/// The release of libprof that wrote a trace of any version; empty: not recorded.
std::string writing_release(SqliteDb& db);

}  // namespace prof
