// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GuardedVfs: the file system as one reading SQLite connection sees it. A trace may come from
// anyone, and SQLite trusts the files beside a database: a journal may name any file for deletion.
// Through this VFS a connection opens and deletes only the database's own files.
#pragma once

#include <sqlite3.h>

#include <string>

namespace prof {

/// Outlives its connection and that connection's statements. One thread at a time.
class GuardedVfs {
 public:
  enum class Wal : bool {
    kHidden,  ///< A write-ahead log beside the database is neither read nor created.
    kUsed,
  };

  explicit GuardedVfs(Wal wal);
  GuardedVfs(const GuardedVfs&) = delete;
  GuardedVfs& operator=(const GuardedVfs&) = delete;
  ~GuardedVfs();

  /// The VFS's name for sqlite3_open_v2; null if SQLite's default VFS is missing.
  [[nodiscard]] const char* name() const { return registered_ ? vfs_.zName : nullptr; }

 private:
  /// Identifies the connection in SQLite's calls.
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
  std::string database_;  ///< Its full path, once open.
  Vfs vfs_;
};

}  // namespace prof
