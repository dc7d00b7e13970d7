// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/schema/check.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/ascii.hpp"
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

/// Selects the table's rows in a trace of a version that did not have all of its columns.
std::string select_from_older(const schema::Table& table, std::int32_t version) {
  std::string select;
  for (const schema::Column& column : table.columns) {
    select.append(select.empty() ? "SELECT " : ",");
    if (std::max(table.since, column.since) > version) select.append("NULL AS ");
    select.append(column.name);
  }
  if (table.since > version) return select.append(" WHERE 0");
  select.append(" FROM main.").append(table.name);
  return select.append(" ORDER BY ").append(key_of(table));
}

Status check_table(SqliteDb& db, const schema::Table& table, const Schema& schema,
                   std::int32_t version) {
  // Uses our own view, even if the file has an object of that name.
  if (!table.select.empty()) return db.define_view(table.name, std::string(table.select));
  if (table.since > version) return db.define_view(table.name, select_from_older(table, version));
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
  bool has_all = true;
  for (const schema::Column& column : table.columns) {
    if (column.since > version) {
      has_all = false;
    } else if (!has(*columns, column.name)) {
      return damaged_table(db, table.name, "has no " + std::string(column.name));
    }
  }
  return has_all ? Status() : db.define_view(table.name, select_from_older(table, version));
}

}  // namespace

Status check_tables(SqliteDb& db, std::int32_t version, std::span<const schema::Table> tables) {
  std::vector<std::string_view> names;
  for (const schema::Table& table : tables) names.push_back(table.name);
  db.allow_only(names);
  const Result<Schema> schema = read_schema(db);
  if (!schema) return schema.error();
  if (schema->empty()) {  // Left by a capture that was killed before its first commit.
    return Error{"holds nothing: its capture was killed at the start", db.path(), "capture again"};
  }
  for (const schema::Table& table : tables) {
    PROF_TRY(check_table(db, table, *schema, version));
  }
  return {};
}

std::string writing_release(SqliteDb& db) {
  const auto meta = std::ranges::find(schema::tables(), "meta", &schema::Table::name);
  if (!check_tables(db, kOldestSchema, {meta, 1})) return {};
  // Captures of versions that did not record the writer record the collector.
  Result<Statement> rows = db.prepare(
      "SELECT value FROM meta WHERE key IN ('prof_version','collector_version') ORDER BY key DESC");
  if (!rows || rows->step() != Statement::Step::kRow) return {};
  // A release's name is digits and dots, perhaps with a word; anything may be in the file.
  constexpr std::size_t kMaxBytes = 32;
  std::string release(rows->text(0).substr(0, kMaxBytes));
  const bool is_plain = std::ranges::all_of(release, [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '+';
  });
  return is_plain ? release : std::string();
}

}  // namespace prof
