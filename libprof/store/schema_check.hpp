// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether what has the name of a table is one as a capture makes it: not a view, which could
// compute anything for ever, not a virtual table, no computed columns. What else a person adds to a
// trace (views, tables, indexes, columns at the end) is not looked at and never read.
#pragma once

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite_db.hpp"

namespace prof {

/// Checks the tables of a trace and lets `db` read nothing else from now on.
Status check_tables(SqliteDb& db);

}  // namespace prof
