// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SqliteDb and Statement: RAII over SQLite, errors as Error values. sqlite_db.cpp is the only file
// that knows SQLite's functions, beside the guards (descriptor_guard.cpp, guarded_vfs.cpp,
// read_guard.cpp). One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace prof {

class ReadGuard;

/// A prepared statement. Text and blobs that it is given or gives are not copied: they must stay,
/// or are valid, until the next step() or reset().
class Statement {
 public:
  enum class Step : std::uint8_t { kRow, kDone, kBusy, kConstraint, kError };

  Statement() = default;
  explicit Statement(sqlite3_stmt* statement, std::shared_ptr<ReadGuard> guard = nullptr)
      : guard_(std::move(guard)), statement_(statement) {}

  void bind(int parameter, std::int64_t value);
  void bind_text(int parameter, std::string_view value);
  void bind_blob(int parameter, std::string_view value);
  void bind_double(int parameter, double value);
  void bind_null(int parameter);

  Step step();
  void reset();
  /// Runs a statement that gives no rows and makes it ready for the next run.
  Step run();

  /// Never finalizes it: SqliteDb::abandon().
  void abandon() { static_cast<void>(statement_.release()); }

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::string_view blob(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::uint64_t unsigned_integer(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::shared_ptr<ReadGuard> guard_;  // outlives what it guards
  std::uint32_t ticks_ = 0;           // see ReadGuard
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteDb {
 public:
  enum class Mode : std::uint8_t {
    kReadOnly,   ///< Within the bounds of a ReadGuard, as the next two.
    kRollBack,   ///< For reading, after a rollback that changes the file and removes its journal.
    kOwnCopy,    ///< The same, and a write-ahead log is put into the file.
    kReadWrite,  ///< A file of one's own making, without bounds.
  };

  /// Opens an existing file. Refuses a symbolic link where `mode` is not kReadOnly.
  static Result<SqliteDb> open(const std::string& path, Mode mode);
  static Result<SqliteDb> open_memory();

  /// Statements prepared from now on may only read these tables. Not for kReadWrite.
  void allow_only(std::span<const std::string_view> tables);
  /// The path that errors name, where it is another than the file's own.
  void show_as(std::string path) { path_ = std::move(path); }

  Status exec(const char* sql);
  Result<Statement> prepare(std::string_view sql);

  /// SQLite's last error on this connection as a line about this file.
  [[nodiscard]] Error error(std::string_view what) const;
  [[nodiscard]] bool busy() const;  ///< The last error: somebody else holds the file's lock.
  [[nodiscard]] bool needs_writing()
      const;  ///< The last error: a rollback that may not be written.
  [[nodiscard]] bool in_transaction() const;

  /// Reads bytes of the file itself, beside SQLite's cache. False: they are not all there, or there
  /// is no file. They are the database's only while a statement of this connection has rows left,
  /// and without a write-ahead log.
  bool read_file(std::uint64_t offset, void* to, std::size_t bytes);
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Closes the file; all statements must be gone. What is left is good for path() alone.
  void close() { db_.reset(); }
  /// The file's size when it was opened, as what may be read from it is measured by; without bounds
  /// (kReadWrite) the largest number.
  [[nodiscard]] std::uint64_t file_bytes() const;

  /// Leaves the connection open for ever, because closing it could close somebody else's
  /// descriptor.
  void abandon();

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  SqliteDb(std::string path, sqlite3* db) : path_(std::move(path)), db_(db) {}
  static Result<SqliteDb> open(const std::string& path, int flags,
                               std::shared_ptr<ReadGuard> guard);

  std::string path_;
  std::shared_ptr<ReadGuard> guard_;  // outlives what it guards; null: none
  std::unique_ptr<sqlite3, Close> db_;
};

struct TableColumn {
  std::string name;
  std::int64_t key = 0;  ///< Its place in the primary key, from 1; 0: not in it.
  bool computed = false;
};

/// The columns of an ordinary table, in their order. `table` is a name of our own.
Result<std::vector<TableColumn>> table_columns(SqliteDb& db, std::string_view table);

/// "SELECT a,b FROM table", for a condition to follow.
std::string select_from(std::string_view table, std::span<const std::string_view> columns);

}  // namespace prof
