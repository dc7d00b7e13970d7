// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Guesses what a user's statement means by a name that SQLite does not know.
#pragma once

#include <string_view>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof::reports {

/// The error about `sql`, and if it is that a table, column or function does not exist, the nearest
/// that does, or where to look. `db` has the tables.
Error with_nearest(Error error, std::string_view sql, SqliteDb& db);

}  // namespace prof::reports
