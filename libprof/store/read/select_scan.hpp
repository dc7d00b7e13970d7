// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SelectScan: the rows of a SELECT, behind PageScan's interface. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

class SelectScan {
 public:
  /// `db` must outlive the scan.
  Status open(SqliteDb& db, std::string_view sql) {
    db_ = &db;
    Result<Statement> rows = db.prepare(sql);
    if (!rows) return rows.error();
    rows_ = std::move(*rows);
    return {};
  }

  /// Advances to the next row. False: at the end, or after an error (status()).
  bool next() {
    if (ended_) return false;  // another step would restart it
    const Statement::Step step = rows_.step();
    if (step == Statement::Step::kRow) return true;
    ended_ = true;
    if (step != Statement::Step::kDone) status_ = db_->error("cannot be read");
    return false;
  }
  [[nodiscard]] const Status& status() const { return status_; }

  // Values of the row; texts and blobs are valid until the next call of next().
  [[nodiscard]] std::int64_t integer(int column) const { return rows_.integer(column); }
  [[nodiscard]] std::uint64_t unsigned_integer(int column) const {
    return rows_.unsigned_integer(column);
  }
  [[nodiscard]] std::string_view blob(int column) const { return rows_.blob(column); }
  [[nodiscard]] bool is_null(int column) const { return rows_.is_null(column); }

 private:
  SqliteDb* db_ = nullptr;
  Statement rows_;
  bool ended_ = false;
  Status status_;
};

}  // namespace prof
