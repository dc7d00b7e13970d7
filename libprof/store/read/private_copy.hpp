// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a trace through a copy if it cannot be read in place: one still being written, one that
// cannot be rolled back for lack of write permission, one with a write-ahead log.
#pragma once

#include <cstdint>
#include <string>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

enum class CopyFor : std::uint8_t {
  kRollback,
  kWriteAheadLog,
  kStillWritten,  ///< The state committed at one moment, while the writer continues.
};

/// The copy is in the temporary folder, readable only by this user, and unlinked as soon as it is
/// open. `path` has all links resolved. Errors and the database name `shown`.
Result<SqliteDb> open_private_copy(const std::string& path, const std::string& shown,
                                   std::uint64_t page_bytes, CopyFor reason);

}  // namespace prof
