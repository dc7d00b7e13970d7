// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where: a condition on a report's columns in SQLite's words, "time_us > 100 AND op LIKE 'mat%'".
// SQLite evaluates it for each line; what is absent is NULL.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::reports {

/// The columns that a condition names, as indices.
std::vector<std::size_t> columns_in(std::string_view condition, std::span<const Column> columns);

class Where {
 public:
  /// All conditions must hold. `columns` are those of the cells that are passed to holds().
  static Result<std::unique_ptr<Where>> make(std::span<const std::string> conditions,
                                             std::span<const Column> columns);

  bool holds(std::span<const Cell> cells);
  /// The first line for which the condition could not be evaluated.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  explicit Where(SqliteDb db) : db_(std::move(db)) {}

  SqliteDb db_;
  Statement statement_;
  std::vector<std::string> texts_;
  Status status_;
};

}  // namespace prof::reports
