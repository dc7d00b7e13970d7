// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ReadGuard: what keeps SQLite within bounds where it reads a file that anybody may have made: the
// files it may touch (GuardedVfs), the size of what it parses, and how long a statement may run
// against the size of the file. Knows SQLite, as sqlite_db.cpp does. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/store/guarded_vfs.hpp"

struct sqlite3;

namespace prof {

class ReadGuard {
 public:
  /// `file_bytes`: the size of the database.
  ReadGuard(GuardedVfs::Wal wal, std::uint64_t file_bytes) : vfs_(wal), file_bytes_(file_bytes) {}

  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] const char* vfs_name() const { return vfs_.name(); }

  /// Sets limits and switches off what reading does not need. The guard outlives `db`.
  void bound(sqlite3* db);
  /// From now on statements only read these tables, the schema and what describes it.
  void allow_only(sqlite3* db, std::span<const std::string_view> tables);

  /// A statement goes on that has taken so many ticks; end_step() gives what it has taken since.
  void begin_step(std::uint32_t ticks) { ticks_ = ticks; }
  [[nodiscard]] std::uint32_t end_step() const { return ticks_; }
  /// A statement ran longer than any undamaged file of this size makes it.
  [[nodiscard]] bool exceeded() const { return exceeded_; }

 private:
  static int tick(void* self);
  static int authorize(void* self, int action, const char* first, const char* second,
                       const char* database, const char* view);
  [[nodiscard]] bool is_allowed(std::string_view table) const;

  GuardedVfs vfs_;
  std::uint64_t file_bytes_;
  std::uint64_t max_ticks_ = 0;
  std::uint32_t ticks_ = 0;
  bool exceeded_ = false;
  std::vector<std::string> tables_;
};

}  // namespace prof
