// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PageScan: all rows of a table in key order, decoded from the pages of the table's b-tree, which
// takes a sixth of the time of a SELECT (docs/decisions/0002-trace-file.md). Anything in the file
// may be damaged: that gives an error, never a crash or an endless loop. Holds a read lock on the
// database for its lifetime. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/db_pages.hpp"
#include "libprof/store/sqlite/db_record.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

class PageScan {
 public:
  /// For each requested column its position in the table's records, below DbRecord::kMaxColumns,
  /// or kRowId.
  using Positions = std::vector<std::size_t>;
  static constexpr std::size_t kRowId = SIZE_MAX;

  /// `root` is the b-tree's first page; `by_row_id`: a table b-tree, not an index b-tree as WITHOUT
  /// ROWID tables have. `db` and its `pages` must outlive the scan.
  Status open(SqliteDb& db, DbPages& pages, std::uint32_t root, bool by_row_id,
              Positions positions);

  /// Advances to the next row. False: at the end, or after an error (status()).
  bool next();
  [[nodiscard]] const Status& status() const { return status_; }

  // Values of the row, by position; texts and blobs are valid until the next call of next().
  [[nodiscard]] std::int64_t integer(int column) const {
    const std::size_t position = position_of(column);
    return position == kRowId ? row_id_ : record_.integer(position);
  }
  [[nodiscard]] std::uint64_t unsigned_integer(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }
  [[nodiscard]] std::string_view blob(int column) const {
    const std::size_t position = position_of(column);
    return position == kRowId ? std::string_view() : record_.bytes(position);
  }
  [[nodiscard]] bool is_null(int column) const {
    const std::size_t position = position_of(column);
    return position != kRowId && record_.is_null(position);
  }

 private:
  static constexpr std::size_t kMaxDepth = 20;

  /// A page on the path from the root to the current row.
  struct Level {
    std::vector<std::uint8_t> page;
    std::uint32_t cells = 0;
    std::uint32_t at = 0;  ///< In a leaf: the next cell. Otherwise child and cell in turn.
    bool leaf = false;
  };

  [[nodiscard]] std::size_t position_of(int column) const {
    return positions_[static_cast<std::size_t>(column)];
  }

  bool descend(std::uint32_t number);
  bool take_row(const Level& level, std::uint32_t cell);
  bool take_payload(const Level& level, std::size_t at, std::uint64_t bytes);
  bool damaged();

  SqliteDb* db_ = nullptr;
  DbPages* pages_ = nullptr;
  Statement lock_;  // keeps rows left, so that the pages do not change
  Positions positions_;
  std::size_t record_columns_ = 0;  // up to the last requested one
  bool by_row_id_ = false;

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
