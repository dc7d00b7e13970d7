// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SavedAttribution: adds the analyzers' results to a trace.db (schema/saved_tables.cpp). Rows are
// collected in a temporary file; one transaction at the end changes the trace, so that a crash or a
// full disk leaves it unchanged. Until then the trace stays readable.
//
//     auto saved = SavedAttribution::open("trace.db", key);
//     if (!saved) return saved.error();
//     if ((*saved)->is_fresh()) return {};
//     (*saved)->add(SavedTable::kOp, 1, cells);            // and so on, row by row
//     auto added = (*saved)->commit();                     // every reader closed before
//
// Opens only a trace that open_trace() accepts, and refuses symbolic and hard links, read-only
// files, files still being written or in write-ahead mode, and objects that inspect_saved()
// refuses. Memory: SQLite's caches. One thread at a time.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "libprof/base/result.hpp"
#include "libprof/store/save/saved_objects.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

/// In the order of schema::saved_tables(). Callers do not fill the first.
enum class SavedTable : std::uint8_t { kTrace, kOp, kKernelName, kAttribution, kWork, kRun };
inline constexpr std::size_t kSavedTables = 6;

using SavedValue = std::variant<std::monostate, std::int64_t, double, std::string_view>;

class SavedAttribution {
 public:
  /// Errors are one line each. Changes the file only by rolling back a killed program's
  /// transaction.
  static Result<std::unique_ptr<SavedAttribution>> open(const std::string& path, SavedKey key);

  /// Whether the trace holds this analysis already.
  [[nodiscard]] bool is_fresh() const { return objects_.state == SavedObjects::State::kFresh; }

  /// Collects a row: its id, then a value for each further column.
  Status add(SavedTable table, std::int64_t id, std::span<const SavedValue> values);

  /// Changes the trace, unless another program has since open(). Returns the number of bytes by
  /// which it grew.
  Result<std::int64_t> commit();

 private:
  /// Identifies a file, to detect whether it was replaced.
  struct State {
    dev_t device = 0;
    ino_t inode = 0;
    off_t bytes = 0;
    std::array<char, 4> change_counter{};
    bool operator==(const State&) const = default;
  };

  SavedAttribution(SqliteDb db, SavedKey key, std::string file)
      : db_(std::move(db)), key_(std::move(key)), file_(std::move(file)) {}
  Status inspect();
  Status collect();
  Status change();
  Status run(const std::string& sql);
  Result<State> state();
  [[nodiscard]] Error error() const;

  SqliteDb db_;
  SavedKey key_;
  std::string file_;  ///< The path with all links resolved.
  State opened_;
  SavedObjects objects_;
  std::array<Statement, kSavedTables> inserts_;
};

}  // namespace prof
