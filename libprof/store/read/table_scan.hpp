// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TableScan: all rows of a table in key order, for tables that are read whole. PageScan decodes
// them from the file's pages; SelectScan leaves that to SQLite if the pages alone do not suffice (a
// write-ahead log, a view). The choice costs one check per row. Holds a read lock on the database
// for its lifetime. One thread.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "libprof/base/result.hpp"
#include "libprof/store/read/page_scan.hpp"
#include "libprof/store/read/select_scan.hpp"
#include "libprof/store/sqlite/db_pages.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

class TableScan {
 public:
  /// `pages` are those of `db`, or null to let SQLite read. Both must outlive the scan. Values are
  /// accessed by a column's index in `columns`.
  Status open(SqliteDb& db, DbPages* pages, std::string_view table,
              std::span<const std::string_view> columns);

  /// Advances to the next row. False: at the end, or after an error (status()).
  bool next() {
    PageScan* const pages = std::get_if<PageScan>(&scan_);
    return pages != nullptr ? pages->next() : std::get_if<SelectScan>(&scan_)->next();
  }

  /// Calls `take(row)`, where `row` has integer(), unsigned_integer(), blob() and is_null() by
  /// column. Texts and blobs are valid until the next call of next().
  template <typename Take>
  void row(Take&& take) const {
    if (const PageScan* const pages = std::get_if<PageScan>(&scan_)) {
      std::forward<Take>(take)(*pages);
    } else {
      std::forward<Take>(take)(*std::get_if<SelectScan>(&scan_));
    }
  }

  [[nodiscard]] const Status& status() const {
    const PageScan* const pages = std::get_if<PageScan>(&scan_);
    return pages != nullptr ? pages->status() : std::get_if<SelectScan>(&scan_)->status();
  }

 private:
  std::variant<SelectScan, PageScan> scan_;
};

}  // namespace prof
