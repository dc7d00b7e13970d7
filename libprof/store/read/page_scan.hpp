// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PageScan: all rows of a table in key order, decoded from the pages of the table's b-tree, which
// takes a sixth of the time of a SELECT (docs/decisions/0002-trace-file.md). Anything in the file
// may be damaged: that gives an error, never a crash or an endless loop. Holds a read lock on the
// database for its lifetime. One thread.
#pragma once

#include <cstddef>
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
  /// For each requested column its position in the table's records, or kRowId.
  using Positions = DbRecord::Positions;
  static constexpr std::size_t kRowId = DbRecord::kNotStored;

  /// `root` is the b-tree's first page; `by_row_id`: a table b-tree, not an index b-tree as WITHOUT
  /// ROWID tables have. `db` and its `pages` must outlive the scan.
  Status open(SqliteDb& db, DbPages& pages, std::uint32_t root, bool by_row_id,
              const Positions& positions);

  /// Advances to the next row. False: at the end, or after an error (status()).
  bool next();
  [[nodiscard]] const Status& status() const { return status_; }

  // Values of the row; texts and blobs are valid until the next call of next(). Inlined, or else a
  // call would take longer than the number.
  [[nodiscard, gnu::always_inline]] std::int64_t integer(int column) const {
    return column == row_id_column_ ? row_id_ : record_.integer(static_cast<std::size_t>(column));
  }
  [[nodiscard]] std::uint64_t unsigned_integer(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }
  [[nodiscard]] std::string_view blob(int column) const {
    return record_.bytes(static_cast<std::size_t>(column));
  }
  [[nodiscard]] bool is_null(int column) const {
    return column != row_id_column_ && record_.is_null(static_cast<std::size_t>(column));
  }

 private:
  static constexpr std::size_t kMaxDepth = 20;

  /// A page on the path from the root to the current row.
  struct Level {
    DbPages::Page page;
    std::uint32_t cells = 0;
    std::uint32_t at = 0;  ///< In a leaf: the next cell. Otherwise child and cell alternate.
    bool leaf = false;
  };

  bool descend(std::uint32_t number);
  bool next_below();
  bool take_row(const Level& level, std::uint32_t cell);
  bool take_chain(const Level& level, std::size_t at, std::uint64_t bytes);
  bool damaged();

  SqliteDb* db_ = nullptr;
  DbPages* pages_ = nullptr;
  Statement lock_;  // has rows left, so that the pages do not change
  bool by_row_id_ = false;
  std::size_t usable_bytes_ = 0;       // of a page
  std::uint64_t max_local_bytes_ = 0;  // a larger payload is partly on other pages

  std::vector<Level> levels_;  // from the root; kept for reuse
  std::size_t depth_ = 0;      // of levels_ in use
  std::uint64_t pages_left_ = 0;
  std::uint64_t max_payload_bytes_ = 0;
  int row_id_column_ = -1;  // none
  std::int64_t row_id_ = 0;
  DbRecord record_;
  std::vector<std::uint8_t> long_payload_;
  Status status_;
};

}  // namespace prof
