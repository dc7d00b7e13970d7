// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/sqlite/guarded_vfs.hpp"

#include <sys/stat.h>

#include <atomic>
#include <string_view>

namespace prof {
namespace {

constexpr std::string_view kJournal = "-journal";
constexpr std::string_view kWal = "-wal";
constexpr std::string_view kShm = "-shm";

bool is_beside(std::string_view path, const std::string& database, std::string_view suffix) {
  return !database.empty() && path.size() == database.size() + suffix.size() &&
         path.starts_with(database) && path.ends_with(suffix);
}

/// Whether the file is missing, or can be read to its end; a pipe would block for a writer.
bool is_regular_or_missing(const char* path) {
  struct stat info {};
  return lstat(path, &info) != 0 || S_ISREG(info.st_mode);
}

}  // namespace

GuardedVfs::GuardedVfs(Wal wal) : unix_(sqlite3_vfs_find("unix")), wal_(wal) {
  if (unix_ == nullptr) return;
  static_cast<sqlite3_vfs&>(vfs_) = *unix_;
  static std::atomic<unsigned> count{0};
  name_ = "prof-" + std::to_string(++count);
  vfs_.zName = name_.c_str();
  vfs_.pNext = nullptr;
  vfs_.xOpen = open;
  vfs_.xDelete = remove;
  vfs_.xAccess = access;
  vfs_.owner = this;
  registered_ = sqlite3_vfs_register(&vfs_, /*makeDflt=*/0) == SQLITE_OK;
}

GuardedVfs::~GuardedVfs() {
  if (registered_) sqlite3_vfs_unregister(&vfs_);
}

bool GuardedVfs::may_open(const char* path, int flags) {
  constexpr int kTemporary = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TEMP_JOURNAL |
                             SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_SUBJOURNAL;
  if ((flags & kTemporary) != 0) return true;
  if (path == nullptr) return false;
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
    if (!database_.empty()) return database_ == path;
    database_ = path;
    return true;
  }
  const bool own =
      ((flags & SQLITE_OPEN_MAIN_JOURNAL) != 0 && is_beside(path, database_, kJournal)) ||
      ((flags & SQLITE_OPEN_WAL) != 0 && wal_ == Wal::kUsed && is_beside(path, database_, kWal));
  return own && is_regular_or_missing(path);
}

int GuardedVfs::open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                     int* out_flags) {
  GuardedVfs& self = *static_cast<Vfs*>(vfs)->owner;
  if (!self.may_open(path, flags)) {
    file->pMethods = nullptr;
    return SQLITE_CANTOPEN;
  }
  return self.unix_->xOpen(vfs, path, file, flags, out_flags);
}

int GuardedVfs::remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  const GuardedVfs& self = *static_cast<Vfs*>(vfs)->owner;
  for (const std::string_view suffix : {kJournal, kWal, kShm}) {
    const bool hidden = self.wal_ == Wal::kHidden && suffix != kJournal;
    if (!hidden && is_beside(path, self.database_, suffix)) {
      return self.unix_->xDelete(vfs, path, sync_folder);
    }
  }
  return SQLITE_IOERR_DELETE;
}

int GuardedVfs::access(sqlite3_vfs* vfs, const char* path, int flags, int* result) {
  const GuardedVfs& self = *static_cast<Vfs*>(vfs)->owner;
  if (self.wal_ == Wal::kHidden && is_beside(path, self.database_, kWal)) {
    *result = 0;
    return SQLITE_OK;
  }
  return self.unix_->xAccess(vfs, path, flags, result);
}

}  // namespace prof
