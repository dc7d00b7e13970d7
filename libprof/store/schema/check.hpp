// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that a trace's tables are what a capture creates: not views, which could compute forever,
// not virtual tables, no computed columns. Users' own additions (views, tables, indexes, trailing
// columns) are ignored and never read.
#pragma once

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

/// Checks a trace's tables, and restricts `db` to them and to our own views from now on.
Status check_tables(SqliteDb& db);

}  // namespace prof
