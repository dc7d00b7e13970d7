// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which tables and views of a saved attribution a trace holds, and whether prof-report created
// them. A trace may come from anyone, and users may add tables of any name: what is not known to be
// an analysis is never dropped. Every version recognizes the analyses of all others by the frozen
// table saved_analysis, which lists the objects with a checksum of their SQL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

/// What an analysis depends on besides the trace.
struct SavedKey {
  std::string analyzers;  ///< The version of what attributes.
  std::string domains;    ///< JSON array of the domains of --domain, sorted, each once.
};

struct SavedObjects {
  enum class State : std::uint8_t {
    kNone,
    kFresh,  ///< With this key, and in this version's form.
    kStale,
  };
  State state = State::kNone;
  std::vector<std::string> drops;  ///< Statements that remove the existing objects.
};

/// An error if the trace has a trigger, or an object with an analysis' name that is not part of
/// one.
Result<SavedObjects> inspect_saved(SqliteDb& db, const SavedKey& key);

/// Records in saved_analysis what was just created.
Status record_saved(SqliteDb& db, const SavedKey& key);

}  // namespace prof
