// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How files of ours begin, for tests of what is replaced.
#pragma once

#include <string>

namespace prof {

/// The header of a trace's database.
inline std::string start_of_trace() {
  std::string header("SQLite format 3\0", 16);
  header.resize(100, '\0');
  return header.replace(68, 4, "prof");
}

/// The header of its journal.
inline std::string start_of_journal() { return {"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8}; }

}  // namespace prof
