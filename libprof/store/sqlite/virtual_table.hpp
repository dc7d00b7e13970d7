// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// VirtualTable: rows computed by the program, as a table of an SQL connection. The rows are
// streamed: a scan holds one of them, and a value is computed when the statement asks for its
// column. A failed scan ends the statement with the scan's error. One thread, the connection's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "libprof/base/result.hpp"

struct sqlite3;
struct sqlite3_context;

namespace prof {

/// Receives the value of one column. Texts are copied.
class SqlValue {
 public:
  explicit SqlValue(sqlite3_context* context) : context_(context) {}
  // If none is called, the value is NULL. The last call counts.
  void integer(std::int64_t value);
  void real(double value);
  void text(std::string_view value);

 private:
  sqlite3_context* context_;
};

/// One scan of a table.
class VirtualRows {
 public:
  virtual ~VirtualRows() = default;
  /// Advances to the next row, initially to the first. False at the end or after an error.
  virtual bool next() = 0;
  [[nodiscard]] virtual Status status() const = 0;
  /// The value of one of the row's columns.
  virtual void value(std::size_t column, SqlValue& to) = 0;
};

struct VirtualColumn {
  std::string_view name;
  enum class Type : std::uint8_t { kText, kInteger, kReal } type = Type::kText;
  bool hidden = false;  ///< Not in `SELECT *`, only by name.
};

class VirtualTable {
 public:
  virtual ~VirtualTable() = default;
  /// A word: letters, digits and '_'.
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::span<const VirtualColumn> columns() const = 0;
  /// Several scans may be open at a time.
  [[nodiscard]] virtual std::unique_ptr<VirtualRows> open() const = 0;
};

/// Adds the table to a connection's TEMP schema, where it shadows a table or view of the same name
/// in the file. Called by SqliteDb::add_table().
Status create_virtual_table(sqlite3* db, std::shared_ptr<const VirtualTable> table);

}  // namespace prof
