// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The journal beside a trace. A capture that was killed leaves one, and SQLite does what it says:
// it writes pages back, changes the size of pages and of the file, deletes another file. So it is
// looked at before SQLite is. Format: https://www.sqlite.org/fileformat.html, section 3.
#pragma once

#include <cstdint>
#include <string>

#include "libprof/base/result.hpp"

namespace prof {

/// The name of a database's journal.
std::string journal_of(const std::string& path);

/// While a transaction is open or left over, the journal's header, which has a random number that
/// is the transaction's own. Else empty.
std::string journal_head(const std::string& path);

/// An error where what has the journal's name is not what a capture leaves beside this trace.
/// `path`: with all links resolved.
Status check_journal(const std::string& path, std::uint64_t page_bytes);

}  // namespace prof
