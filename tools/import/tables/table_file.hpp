// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TableFile: an SQLite file that another profiler wrote, read-only and within the limits of a
// ReadGuard (libprof/store). Tables and columns come and go between versions: both are asked for by
// name, and what a file lacks is NULL. Views, virtual tables and computed columns, which profilers
// do not write, are never read: of the former only the names are known. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof::importers {

class TableFile;

/// The rows of a table, with the columns asked for, by their place in the list.
class TableRows {
 public:
  /// False at the end, or after an error (status()).
  bool next();
  [[nodiscard]] Status status() const;

  /// The table has that column.
  [[nodiscard]] bool has(std::size_t column) const { return has_[column]; }
  [[nodiscard]] bool is_null(std::size_t column) const { return statement_.is_null(place(column)); }
  /// Null if it is NULL or not of that type; the latter makes the row odd.
  std::optional<std::int64_t> integer(std::size_t column);
  std::optional<double> real(std::size_t column);
  /// As integer(). A number that does not fit makes the row odd, too.
  std::optional<std::uint32_t> number32(std::size_t column);
  /// Empty if it is NULL or no text. Valid until the next call.
  std::string_view text(std::size_t column);
  std::string_view blob(std::size_t column);

  /// Some value of the row was not of the type asked for.
  [[nodiscard]] bool is_odd() const { return is_odd_; }

 private:
  friend class TableFile;
  TableRows(const TableFile& file, Statement statement, std::vector<bool> has)
      : file_(&file), statement_(std::move(statement)), has_(std::move(has)) {}
  static int place(std::size_t column) { return static_cast<int>(column); }

  const TableFile* file_;
  Statement statement_;
  std::vector<bool> has_;
  bool is_odd_ = false;
  bool failed_ = false;
};

class TableFile {
 public:
  /// `again`: what the user can do about a file that SQLite cannot read, a literal. Errors: a trace
  /// of ours, compressed, no database, damaged.
  static Result<TableFile> open(const std::string& path, std::string_view again);

  [[nodiscard]] bool has(std::string_view table) const { return tables_.contains(table); }
  [[nodiscard]] bool has(std::string_view table, std::string_view column) const;
  /// A column is the key, or its only part.
  [[nodiscard]] bool is_key(std::string_view table, std::string_view column) const;
  [[nodiscard]] std::vector<std::string_view> tables() const;
  /// A view or a virtual table has the name.
  [[nodiscard]] bool has_unread(std::string_view name) const { return unread_.contains(name); }

  /// Rows of a table that the file has. `where`: a condition over its columns as SQL; empty: all.
  /// `order`: columns to sort by; what is large is sorted in a temporary file.
  Result<TableRows> rows(std::string_view table, std::span<const std::string_view> columns,
                         const std::string& where, std::span<const std::string_view> order = {});
  /// Each combination of values in those columns once.
  Result<TableRows> distinct(std::string_view table, std::span<const std::string_view> columns);
  Result<std::uint64_t> count(std::string_view table, const std::string& where);

  Result<Statement> prepare(const std::string& sql);
  /// Why a statement's last step gave no row, with what the user can do.
  [[nodiscard]] Error error() const { return explained(db_.error("cannot be read")); }
  /// The file is damaged in that way.
  [[nodiscard]] Error damaged(std::string_view how) const;
  [[nodiscard]] std::uint64_t bytes() const { return db_.file_bytes(); }

 private:
  TableFile(SqliteDb db, std::string_view again) : again_(again), db_(std::move(db)) {}
  Status read_schema();
  Result<TableRows> selected(std::string_view select, std::string_view table,
                             std::span<const std::string_view> columns, std::string_view rest);
  [[nodiscard]] Error explained(Error error) const;

  std::string_view again_;
  SqliteDb db_;
  std::map<std::string, std::vector<TableColumn>, std::less<>> tables_;
  std::set<std::string, std::less<>> unread_;
};

}  // namespace prof::importers
