// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Query: one SELECT over the row tables (row_tables.hpp) and, with a single trace, over the tables
// and views of its trace.db. Read-only and streaming: only what SQLite sorts or groups is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/table/cell.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

/// The traces must outlive it. One query at a time per trace.
class Query {
 public:
  /// Errors are SQLite's messages about the statement.
  static Result<std::unique_ptr<Query>> open(const RowInput& input, std::string_view sql);
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// False at the end or after an error.
  bool next();
  [[nodiscard]] const Status& status() const { return status_; }
  /// Valid until the next row. Blobs are shown as hexadecimal digits.
  Cell cell(std::size_t column);

 private:
  Query() = default;

  std::optional<SqliteDb> own_;  // if there are several traces
  SqliteDb* db_ = nullptr;
  std::vector<std::string> tables_;
  Statement statement_;
  std::vector<std::string> columns_;
  std::vector<std::string> hex_;  // for each column
  Status status_;
};

/// Prints the rows of a user's statement. Column names and types come from the result.
Status print_query(const RowInput& input, std::string_view sql, Form form, Renderer& renderer);

}  // namespace prof::reports
