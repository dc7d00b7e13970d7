// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the journal beside a trace. A killed capture leaves one, and SQLite obeys it: it writes
// pages back, changes the size of pages and of the file, deletes another file. So it is checked
// before SQLite sees it. Format: https://www.sqlite.org/fileformat.html, section 3.
#pragma once

#include <cstdint>
#include <string>

#include "libprof/base/result.hpp"

namespace prof {

/// The name of a database's journal.
std::string journal_of(const std::string& path);

/// While a transaction is open or left unfinished, the journal's header, which has a random number
/// unique to the transaction. Otherwise empty.
std::string journal_head(const std::string& path);

/// An error if the file with the journal's name is not one that a capture leaves beside this trace.
/// `path` has all links resolved.
Status check_journal(const std::string& path, std::uint64_t page_bytes);

}  // namespace prof
