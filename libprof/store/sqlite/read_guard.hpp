// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ReadGuard: limits SQLite when it reads a file from an untrusted source: the files it may touch
// (GuardedVfs), the size of its input to parse, and the run time of a statement in relation to the
// size of the file. Uses SQLite directly, like sqlite_db.cpp. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/store/sqlite/guarded_vfs.hpp"

struct sqlite3;

namespace prof {

class ReadGuard {
 public:
  /// `file_bytes`: the size of the database.
  ReadGuard(GuardedVfs::Wal wal, std::uint64_t file_bytes) : vfs_(wal), file_bytes_(file_bytes) {}

  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] const char* vfs_name() const { return vfs_.name(); }

  /// Sets limits and disables all features that reading does not need. The guard must outlive `db`.
  void limit(sqlite3* db);
  /// From now on statements may read only these tables, the schema and its descriptions.
  void allow_only(sqlite3* db, std::span<const std::string_view> tables);

  /// Creates a temporary view, which is in no file, and allows reading the tables that it selects.
  /// Only for the name of an allowed table in the database: otherwise the file could have its own
  /// view of that name.
  bool add_view(sqlite3* db, const std::string& name, const std::string& select);
  [[nodiscard]] bool is_own_view(std::string_view name) const;

  /// Rights of statements prepared from now on.
  enum class Allow : std::uint8_t {
    kOurTables,  ///< The tables of allow_only().
    kQuery,      ///< A user's query may read anything in the file, but change or open nothing.
    kAnything,   ///< Our own statements that set up the connection.
  };
  void allow(Allow what) { allow_ = what; }

  /// A step of a statement, possibly inside a step of another one, when a virtual table reads.
  struct Step {
    std::uint32_t ticks = 0;  ///< Ticks that the statement has used so far.
    bool unlimited = false;   ///< A user's own statement: no limit, but can be interrupted.
  };
  /// Returns the enclosing step, for end_step().
  [[nodiscard]] Step begin_step(Step step) { return std::exchange(step_, step); }
  /// Returns the statement's step with the ticks used.
  [[nodiscard]] Step end_step(Step around) { return std::exchange(step_, around); }
  /// Sets a function that is called now and then while a statement runs; may be empty.
  void on_tick(std::function<void()> tick) { on_tick_ = std::move(tick); }
  /// Whether a statement ran longer than it could on any undamaged file of this size.
  [[nodiscard]] bool exceeded() const { return exceeded_; }

 private:
  static int tick(void* self);
  static int authorize(void* self, int action, const char* first, const char* second,
                       const char* database, const char* view);
  /// Whether a user's own statement may do this: read libprof's tables and the TEMP schema.
  [[nodiscard]] bool is_query(int action, const char* first, const char* second,
                              const char* database) const;
  [[nodiscard]] bool is_allowed(std::string_view table) const;

  GuardedVfs vfs_;
  std::uint64_t file_bytes_;
  std::uint64_t max_ticks_ = 0;
  Step step_;
  Allow allow_ = Allow::kOurTables;
  bool exceeded_ = false;
  std::function<void()> on_tick_;
  std::vector<std::string> tables_;
  std::vector<std::string> views_;
};

}  // namespace prof
