// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TableScan: all rows of a table in the order of its key, for the few tables that have a row or
// more a kernel. Decodes the table's b-tree itself, which takes a sixth of the time of a SELECT
// (docs/decisions/0007-table-scan.md); what it does not know (a write-ahead log) is left to SQLite.
// Everything in the file may be damaged: an error then, never a crash or an endless loop. Holds a
// read lock on the database as long as it lives. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/db_pages.hpp"
#include "libprof/store/db_record.hpp"
#include "libprof/store/sqlite_db.hpp"

namespace prof {

class TableScan {
 public:
  /// `pages` are those of `db`, or null: let SQLite read. Both must outlive the scan. Values are
  /// asked for by a column's place in `columns`.
  Status open(SqliteDb& db, DbPages* pages, std::string_view table,
              std::span<const std::string_view> columns);

  /// Goes to the next row. False: at the end, or after an error (status()).
  bool next() { return pages_ != nullptr ? next_in_pages() : next_by_sqlite(); }
  [[nodiscard]] const Status& status() const { return status_; }

  // Of the row; texts and blobs are valid until the next call of next().
  [[nodiscard]] std::int64_t integer(int column) const {
    if (pages_ == nullptr) return rows_.integer(column);
    const std::size_t place = place_of(column);
    return place == kRowId ? row_id_ : record_.integer(place);
  }
  [[nodiscard]] std::uint64_t unsigned_integer(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }
  [[nodiscard]] std::string_view blob(int column) const {
    if (pages_ == nullptr) return rows_.blob(column);
    const std::size_t place = place_of(column);
    return place == kRowId ? std::string_view() : record_.bytes(place);
  }
  [[nodiscard]] bool is_null(int column) const {
    if (pages_ == nullptr) return rows_.is_null(column);
    const std::size_t place = place_of(column);
    return place != kRowId && record_.is_null(place);
  }

 private:
  static constexpr std::size_t kRowId = SIZE_MAX;
  static constexpr std::size_t kMaxDepth = 20;

  /// A page on the way down to the current row.
  struct Level {
    std::vector<std::uint8_t> page;
    std::uint32_t cells = 0;
    std::uint32_t at = 0;  ///< In a leaf: the next cell. Else: child and cell by turns.
    bool leaf = false;
  };

  [[nodiscard]] std::size_t place_of(int column) const {
    return places_[static_cast<std::size_t>(column)];
  }

  struct Layout;
  Status describe(std::string_view table, Layout& layout);
  bool next_in_pages();
  bool next_by_sqlite();
  bool descend(std::uint32_t number);
  bool take_row(const Level& level, std::uint32_t cell);
  bool take_payload(const Level& level, std::size_t at, std::uint64_t bytes);
  bool damaged();

  SqliteDb* db_ = nullptr;
  DbPages* pages_ = nullptr;
  Statement rows_;                   // by SQLite; else what keeps the lock
  std::vector<std::size_t> places_;  // in the record
  std::size_t record_columns_ = 0;   // as far as they are asked for
  bool by_row_id_ = false;
  bool ended_ = false;  // SQLite has

  std::vector<Level> levels_;  // from the root; kept for reuse
  std::size_t depth_ = 0;      // of levels_ in use
  std::uint64_t pages_left_ = 0;
  std::uint64_t max_payload_bytes_ = 0;
  std::int64_t row_id_ = 0;
  DbRecord record_;
  std::vector<std::uint8_t> long_payload_;
  Status status_;
};

}  // namespace prof
