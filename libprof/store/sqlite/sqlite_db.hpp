// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SqliteDb and Statement: RAII over SQLite, errors as Error values. sqlite_db.cpp is the only file
// that calls SQLite, apart from the guards (descriptor_guard.cpp, guarded_vfs.cpp, read_guard.cpp)
// and the extensions of its SQL (sql_aggregate.cpp, sql_function.cpp, virtual_table.cpp). With a
// guard, SQL's GLOB reads patterns as options do (libprof/base/glob.hpp). One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
class VirtualTable;
struct SqlAggregateFunction;
struct SqlFunction;

/// A prepared statement. Text and blobs are not copied: bound ones must stay valid, and returned
/// ones are valid, until the next step() or reset().
class Statement {
 public:
  enum class Step : std::uint8_t { kRow, kDone, kBusy, kConstraint, kError };

  Statement() = default;
  explicit Statement(sqlite3_stmt* statement, std::shared_ptr<ReadGuard> guard = nullptr,
                     bool unlimited = false)
      : guard_(std::move(guard)), unlimited_(unlimited), statement_(statement) {}

  void bind(int parameter, std::int64_t value);
  void bind_text(int parameter, std::string_view value);
  void bind_blob(int parameter, std::string_view value);
  void bind_double(int parameter, double value);
  void bind_null(int parameter);

  Step step();
  void reset();
  /// Runs a statement that returns no rows and resets it for the next run.
  Step run();

  /// The statement is never finalized; see SqliteDb::abandon().
  void abandon() { static_cast<void>(statement_.release()); }

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::string_view blob(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  enum class Type : std::uint8_t { kNull, kInteger, kReal, kText, kBlob };
  [[nodiscard]] Type type(int column) const;

  [[nodiscard]] int column_count() const;
  /// The name of a parameter, such as "$LIMIT"; "?" for one without; nullopt if there is none.
  [[nodiscard]] std::optional<std::string> first_parameter() const;
  /// The column's name in the statement; "" if out of memory.
  [[nodiscard]] std::string column_name(int column) const;
  [[nodiscard]] std::uint64_t unsigned_integer(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::shared_ptr<ReadGuard> guard_;  // outlives the statement that it guards
  std::uint32_t ticks_ = 0;           // see ReadGuard
  bool unlimited_ = false;            // likewise
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteDb {
 public:
  enum class Mode : std::uint8_t {
    kReadOnly,   ///< Within the limits of a ReadGuard, like the next two.
    kChange,     ///< A rollback or a statement may change the file; its journal is beside it.
    kOwnCopy,    ///< Like kChange, and a write-ahead log is merged into the file.
    kReadWrite,  ///< A file that the caller created, without limits.
  };

  /// Opens an existing file. Refuses a symbolic link unless `mode` is kReadOnly.
  static Result<SqliteDb> open(const std::string& path, Mode mode);
  static Result<SqliteDb> open_memory();
  /// An empty database for add_table() and prepare_query(), within the limits of a ReadGuard.
  static Result<SqliteDb> open_for_queries();

  /// Statements prepared from now on may only read these tables. Not for kReadWrite.
  void allow_only(std::span<const std::string_view> tables);
  /// Makes `table`, which must be allowed, the result of `select` from now on. Writes to no file.
  Status define_view(std::string_view name, const std::string& select);
  [[nodiscard]] bool has_own_view(std::string_view name) const;
  /// Sets the path that errors name, if different from the file's own.
  void show_as(std::string path) { path_ = std::move(path); }

  Status exec(const char* sql);
  Result<Statement> prepare(std::string_view sql);

  /// Prepares a user's own statement, read-only. It may read anything in the file, runs without a
  /// time limit, and cannot change, open or attach anything. Errors carry SQLite's message.
  Result<Statement> prepare_query(std::string_view sql);
  /// Adds a table for prepare_query(). Not for kReadWrite.
  Status add_table(std::shared_ptr<const VirtualTable> table);
  void remove_table(std::string_view name);
  /// Adds an aggregate function, likewise. An existing function of that name is kept.
  Status add_aggregate(const SqlAggregateFunction& function);
  Status add_function(const SqlFunction& function);
  /// Sets a function that is called now and then while a statement runs; may be empty. Likewise.
  void on_tick(std::function<void()> tick);
  /// Adds a view of our own, which shadows one of that name in the file. Likewise.
  Status add_view(std::string_view name, std::string_view select);

  /// SQLite's last error on this connection as one line about this file.
  [[nodiscard]] Error error(std::string_view what) const;
  /// Whether the last error was that another connection holds the file's lock.
  [[nodiscard]] bool busy() const;
  /// Whether the last error was a rollback without write permission.
  [[nodiscard]] bool needs_writing() const;
  [[nodiscard]] bool in_transaction() const;
  /// Whether the file was opened for reading alone, whatever the requested `mode`.
  [[nodiscard]] bool read_only() const;

  /// Reads bytes of the file itself, bypassing SQLite's cache. False: some of them do not exist, or
  /// there is no file. They are the database's content only while a statement of this connection
  /// has rows left, and only without a write-ahead log.
  bool read_file(std::uint64_t offset, void* to, std::size_t bytes);
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Closes the file; all statements must be gone. Afterwards only path() may be called.
  void close() { db_.reset(); }
  /// The file's size when opened, which limits the amount read from it; for kReadWrite, which has
  /// no limits, the largest number.
  [[nodiscard]] std::uint64_t file_bytes() const;

  /// Leaves the connection open forever, because closing it could close another file's descriptor.
  void abandon();

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  SqliteDb(std::string path, sqlite3* db) : path_(std::move(path)), db_(db) {}
  static Result<SqliteDb> open(const std::string& path, int flags,
                               std::shared_ptr<ReadGuard> guard);

  /// SQLite does not replace a function while any statement has rows left.
  [[nodiscard]] bool has_function(std::string_view name) const;

  std::string path_;
  std::vector<std::string_view> functions_;  // names of the functions that were added
  std::shared_ptr<ReadGuard> guard_;         // outlives the database that it guards; null: none
  std::unique_ptr<sqlite3, Close> db_;
};

struct TableColumn {
  std::string name;
  /// Its position in the primary key, from 1; 0: not in it.
  std::int64_t key = 0;
  bool computed = false;
};

/// The columns of an ordinary table, in order, as stored in the file. `table` is a trusted name.
Result<std::vector<TableColumn>> table_columns(SqliteDb& db, std::string_view table);

/// "SELECT a,b FROM table", to which a condition can be appended.
std::string select_from(std::string_view table, std::span<const std::string_view> columns);

/// A column of a row (a Statement, or a scan's) whose values have 32 bits.
template <typename Row>
std::uint32_t uint32_at(const Row& row, int column) {
  return static_cast<std::uint32_t>(row.integer(column));
}

/// The error for a table that does not match the schema.
inline Error damaged_table(const SqliteDb& db, std::string_view table, std::string_view why) {
  return {"is damaged: table " + std::string(table) + " " + std::string(why), db.path(),
          "capture again"};
}

}  // namespace prof
