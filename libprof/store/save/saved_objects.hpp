// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables and views of a saved attribution that a trace holds, and whether prof-report created
// them. A trace may come from anyone, and users may add tables of any name: tables that are not
// known to be an analysis are never dropped. Every version recognizes the analyses of all others by
// the frozen table saved_analysis, which lists the objects with a checksum of their SQL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

/// Inputs of an analysis besides the trace.
struct SavedKey {
  std::string analyzers;  ///< The version of the attribution.
  std::string domains;    ///< JSON array of the domains of --domain, sorted, each once.
};

struct SavedObjects {
  enum class State : std::uint8_t {
    kNone,
    kFresh,  ///< Saved with this key, and in this version's form.
    kStale,
  };
  State state = State::kNone;
  std::vector<std::string> drops;  ///< Statements that remove the existing objects.
};

/// An error if the trace has a trigger, or an object with an analysis' name that is not part of
/// one.
Result<SavedObjects> inspect_saved(SqliteDb& db, const SavedKey& key);

/// Records the objects just created in saved_analysis.
Status record_saved(SqliteDb& db, const SavedKey& key);

}  // namespace prof
