// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GuardedVfs: the file system as one reading connection of SQLite sees it. A trace may come from
// anybody, and SQLite trusts what lies beside a database: a journal may name any file to be
// deleted. Through this door a connection opens and deletes nothing but the database's own files.
#pragma once

#include <sqlite3.h>

#include <string>

namespace prof {

/// Outlives its connection and that connection's statements. One thread at a time.
class GuardedVfs {
 public:
  enum class Wal : bool {
    kHidden,  ///< A write-ahead log beside the database is neither seen nor made.
    kUsed,
  };

  explicit GuardedVfs(Wal wal);
  GuardedVfs(const GuardedVfs&) = delete;
  GuardedVfs& operator=(const GuardedVfs&) = delete;
  ~GuardedVfs();

  /// For sqlite3_open_v2; null where SQLite's own file system is not there.
  [[nodiscard]] const char* name() const { return registered_ ? vfs_.zName : nullptr; }

 private:
  /// Tells SQLite's call which connection it comes from.
  struct Vfs : sqlite3_vfs {
    GuardedVfs* owner = nullptr;
  };

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                  int* out_flags);
  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder);
  static int access(sqlite3_vfs* vfs, const char* path, int flags, int* result);
  [[nodiscard]] bool may_open(const char* path, int flags);

  sqlite3_vfs* unix_;
  Wal wal_;
  bool registered_ = false;
  std::string name_;
  std::string database_;  ///< Its full path, once it is open.
  Vfs vfs_;
};

}  // namespace prof
