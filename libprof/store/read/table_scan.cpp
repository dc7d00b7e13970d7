// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/table_scan.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace prof {
namespace {

/// The layout of a table.
struct Layout {
  std::vector<std::string> columns;  // in the order of the record
  std::string key;                   // for ORDER BY
  std::string row_id;                // the column that is not in the record; empty: none
  std::uint32_t root = 0;
  bool by_row_id = false;
};

Result<Layout> describe(SqliteDb& db, std::string_view table) {
  Result<Statement> rows =
      db.prepare("SELECT rootpage,sql FROM sqlite_schema WHERE name=? AND type='table'");
  if (!rows) return rows.error();
  rows->bind_text(1, table);
  const Statement::Step found = rows->step();
  if (found == Statement::Step::kDone) return damaged_table(db, table, "is missing");
  if (found != Statement::Step::kRow) return db.error("cannot be read");
  Layout layout;
  layout.root = static_cast<std::uint32_t>(rows->integer(0));
  layout.by_row_id = rows->text(1).find("WITHOUT ROWID") == std::string_view::npos;

  Result<std::vector<TableColumn>> columns = table_columns(db, table);
  if (!columns) return columns.error();
  std::erase_if(*columns, [](const TableColumn& column) { return column.computed; });
  // A WITHOUT ROWID table stores its key columns first (2.4 of the file format).
  const auto position = [](const TableColumn& column) {
    return column.key > 0 ? column.key : INT64_MAX;
  };
  if (!layout.by_row_id) std::ranges::stable_sort(*columns, {}, position);
  for (const TableColumn& column : *columns) {
    layout.columns.push_back(column.name);
    if (column.key == 0) continue;
    layout.key += (layout.key.empty() ? "" : ",") + column.name;
    if (layout.by_row_id) layout.row_id = column.name;
  }
  return layout;
}

}  // namespace

Status TableScan::open(SqliteDb& db, DbPages* pages, std::string_view table,
                       std::span<const std::string_view> columns) {
  if (db.has_own_view(table))
    return scan_.emplace<SelectScan>().open(db, select_from(table, columns));
  const Result<Layout> layout = describe(db, table);
  if (!layout) return layout.error();
  PageScan::Positions positions;
  bool can_decode = pages != nullptr;
  for (const std::string_view column : columns) {
    const auto found = std::ranges::find(layout->columns, column);
    const auto position = static_cast<std::size_t>(found - layout->columns.begin());
    if (column == layout->row_id) {
      positions.push_back(PageScan::kRowId);
    } else if (found != layout->columns.end()) {
      positions.push_back(position);
      can_decode &= position < DbRecord::kMaxColumns;
    } else {
      return damaged_table(db, table, "has no " + std::string(column));
    }
  }
  if (can_decode) {
    return scan_.emplace<PageScan>().open(db, *pages, layout->root, layout->by_row_id, positions);
  }
  return scan_.emplace<SelectScan>().open(db,
                                          select_from(table, columns) + " ORDER BY " + layout->key);
}

}  // namespace prof
