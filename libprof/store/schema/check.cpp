// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/schema/check.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/store/schema/schema.hpp"

namespace prof {
namespace {

struct FoundTable {
  bool is_view = false;
  bool has_pages = false;
  bool without_row_id = false;
};

using Schema = std::map<std::string, FoundTable, std::less<>>;

Result<Schema> read_schema(SqliteDb& db) {
  Result<Statement> rows =
      db.prepare("SELECT name,type,rootpage,sql FROM sqlite_schema WHERE type IN ('table','view')");
  if (!rows) return rows.error();
  Schema schema;
  Statement::Step step;
  while ((step = rows->step()) == Statement::Step::kRow) {
    const bool without_row_id = rows->text(3).find("WITHOUT ROWID") != std::string_view::npos;
    schema.insert_or_assign(
        std::string(rows->text(0)),
        FoundTable{rows->text(1) == "view", rows->integer(2) > 0, without_row_id});
  }
  if (step != Statement::Step::kDone) return db.error("cannot be read");
  return schema;
}

/// "a, b": the columns of the key, in their order.
std::string key_of(const std::vector<TableColumn>& columns) {
  std::string key;
  for (std::int64_t place = 1; place <= static_cast<std::int64_t>(columns.size()); ++place) {
    for (const TableColumn& column : columns) {
      if (column.key == place) key.append(key.empty() ? "" : ", ").append(column.name);
    }
  }
  return key;
}

/// The key that the schema defines; for a rowid table its first column.
std::string_view key_of(const schema::Table& table) {
  return table.primary_key.empty() ? table.columns.front().name : table.primary_key;
}

bool has(const std::vector<TableColumn>& columns, std::string_view name) {
  return std::ranges::find(columns, name, &TableColumn::name) != columns.end();
}

Status check_table(SqliteDb& db, const schema::Table& table, const Schema& schema) {
  // Our own view, whatever the file has of that name.
  if (!table.select.empty()) return db.define_view(table.name, std::string(table.select));
  const auto entry = schema.find(table.name);
  if (entry == schema.end()) return damaged_table(db, table.name, "is missing");
  const FoundTable* const found = &entry->second;
  if (found->is_view) return damaged_table(db, table.name, "is a view");
  if (!found->has_pages) return damaged_table(db, table.name, "is not stored in the file");
  const Result<std::vector<TableColumn>> columns = table_columns(db, table.name);
  if (!columns) return columns.error();
  for (const TableColumn& column : *columns) {
    if (column.computed) return damaged_table(db, table.name, "has a computed column");
  }
  if (found->without_row_id == table.primary_key.empty() || key_of(*columns) != key_of(table)) {
    return damaged_table(db, table.name, "has another key");
  }
  for (const schema::Column& column : table.columns) {
    if (!has(*columns, column.name))
      return damaged_table(db, table.name, "has no " + std::string(column.name));
  }
  return {};
}

}  // namespace

Status check_tables(SqliteDb& db) {
  std::vector<std::string_view> names;
  for (const schema::Table& table : schema::tables()) names.push_back(table.name);
  db.allow_only(names);
  const Result<Schema> schema = read_schema(db);
  if (!schema) return schema.error();
  if (schema->empty()) {  // Left by a capture that was killed before its first commit.
    return Error{"holds nothing: its capture was killed at the start", db.path(), "capture again"};
  }
  for (const schema::Table& table : schema::tables()) {
    PROF_TRY(check_table(db, table, *schema));
  }
  return {};
}

}  // namespace prof
