// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the first bytes of a file: SQLite's format, section 1.3 of
// https://www.sqlite.org/fileformat.html. Pure.
#pragma once

#include <string_view>

namespace prof::importers {

inline constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

inline bool is_sqlite(std::string_view first_bytes) {
  return first_bytes.starts_with(kSqliteMagic);
}

/// The application id of a trace of ours.
inline bool is_trace(std::string_view first_bytes) {
  return is_sqlite(first_bytes) && first_bytes.size() >= 72 && first_bytes.substr(68, 4) == "prof";
}

}  // namespace prof::importers
