// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A trace that cannot be read where it lies is read from a copy: one that is still written, one
// whose rollback may not be written, one with a write-ahead log.
#pragma once

#include <cstdint>
#include <string>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite_db.hpp"

namespace prof {

enum class CopyFor : std::uint8_t {
  kRollback,
  kWriteAheadLog,
  kStillWritten,  ///< What was committed at one moment, while the writer works on.
};

/// The copy is in the temporary folder, readable by this user alone, and has no name any more as
/// soon as it is open. `path`: with all links resolved. Errors and the database name `shown`.
Result<SqliteDb> open_private_copy(const std::string& path, const std::string& shown,
                                   std::uint64_t page_bytes, CopyFor reason);

}  // namespace prof
