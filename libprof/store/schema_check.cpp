// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/schema_check.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/store/schema.hpp"

namespace prof {
namespace {

/// Until ranges had columns for it, what is stated of their ops was in a table of its own.
constexpr std::string_view kOpFacts = "op_fact";

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

bool has_table(const Schema& schema, std::string_view name) {
  const auto found = schema.find(name);
  return found != schema.end() && !found->second.is_view && found->second.has_pages;
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

/// Where a trace has the columns that a table lacks.
struct Elsewhere {
  std::string_view table, key;
  std::vector<TableColumn> columns;
};

bool has(const std::vector<TableColumn>& columns, std::string_view name) {
  return std::ranges::find(columns, name, &TableColumn::name) != columns.end();
}

/// A view for a table that lacks columns; empty if it has them all.
std::string stand_in_for(const schema::Table& table, const std::vector<TableColumn>& columns,
                         const Elsewhere& elsewhere) {
  std::string select;
  bool lacks = false;
  for (const schema::Column& column : table.columns) {
    const bool is_here = has(columns, column.name);
    const bool is_known = is_here || has(elsewhere.columns, column.name);
    lacks |= !is_here;
    select.append(select.empty() ? "SELECT " : ",").append(is_known ? "" : "NULL AS ");
    select.append("\"").append(column.name).append("\"");
  }
  select.append(" FROM main.\"").append(table.name).append("\"");
  if (!elsewhere.columns.empty()) {
    select.append(" LEFT JOIN main.").append(elsewhere.table).append(" ON ");
    select.append(elsewhere.key).append("=").append(table.columns.front().name);
  }
  return lacks ? select : std::string();
}

/// A view for a table that an older trace lacks.
std::string stand_in_for(const schema::Table& table) {
  std::string select;
  for (const schema::Column& column : table.columns) {
    select.append(select.empty() ? "SELECT " : ",").append("NULL AS \"");
    select.append(column.name).append("\"");
  }
  return select.append(" WHERE 0");
}

/// Tables of narrow rows and what they refer to: since schema 2, all at once.
bool is_of_narrow_rows(std::string_view table) {
  constexpr std::array<std::string_view, 4> kEnds = {"_row", "_form", "_block", "_rare"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return table.ends_with(end); });
}

bool has_narrow_rows(const Schema& schema) {
  return std::ranges::any_of(schema::tables(), [&](const schema::Table& table) {
    return is_of_narrow_rows(table.name) && has_table(schema, table.name);
  });
}

/// An older trace lacks it.
bool may_be_missing(const schema::Table& table, const Schema& schema) {
  return table.is_later && !(is_of_narrow_rows(table.name) && has_narrow_rows(schema));
}

/// Our own view, whatever the file has of that name.
Status check_view(SqliteDb& db, const schema::Table& table, const Schema& schema) {
  if (has_table(schema, table.rows)) return db.stand_in(table.name, std::string(table.select));
  const auto rows = schema.find(table.rows);
  if (table.is_later && rows == schema.end() && !schema.contains(table.name)) {
    return db.stand_in(table.name, stand_in_for(table));
  }
  if (rows != schema.end()) return damaged_table(db, table.rows, "is a view");
  return damaged_table(db, schema.contains(table.name) ? table.rows : table.name, "is missing");
}

Status check_table(SqliteDb& db, const schema::Table& table, const Schema& schema) {
  const auto entry = schema.find(table.name);
  const bool is_stored = entry != schema.end() && !entry->second.is_view;
  if (!is_stored && !table.select.empty()) return check_view(db, table, schema);
  if (entry == schema.end()) {
    return may_be_missing(table, schema) ? db.stand_in(table.name, stand_in_for(table))
                                         : Status(damaged_table(db, table.name, "is missing"));
  }
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
  Elsewhere elsewhere;
  if (table.name == "range" && has_table(schema, kOpFacts)) {
    Result<std::vector<TableColumn>> facts = table_columns(db, kOpFacts);
    if (!facts) return facts.error();
    if (key_of(*facts) == "range_id") elsewhere = {kOpFacts, "range_id", std::move(*facts)};
  }
  const std::string stand_in = stand_in_for(table, *columns, elsewhere);
  return stand_in.empty() ? Status() : db.stand_in(table.name, stand_in);
}

/// Of those that an older trace lacks, what this one was made with.
Status check_made_tables(SqliteDb& db, const Schema& schema) {
  Result<Statement> row = db.prepare("SELECT value FROM meta WHERE key='tables'");
  if (!row) return row.error();
  const Statement::Step step = row->step();
  if (step == Statement::Step::kDone) return {};
  if (step != Statement::Step::kRow) return db.error("cannot be read");
  const std::string names = " " + std::string(row->text(0)) + " ";
  for (const schema::Table& table : schema::tables()) {
    const bool is_made = names.find(" " + std::string(table.name) + " ") != std::string::npos;
    if (is_made && !schema.contains(table.name)) {
      return damaged_table(db, table.name, "is missing");
    }
  }
  return {};
}

}  // namespace

Status check_tables(SqliteDb& db) {
  std::vector<std::string_view> names;
  for (const schema::Table& table : schema::tables()) names.push_back(table.name);
  names.push_back(kOpFacts);
  db.allow_only(names);
  const Result<Schema> schema = read_schema(db);
  if (!schema) return schema.error();
  if (schema->empty()) {  // Left by a capture that was killed before its first commit.
    return Error{"holds nothing: its capture was killed at the start", db.path(), "capture again"};
  }
  for (const schema::Table& table : schema::tables()) {
    PROF_TRY(check_table(db, table, *schema));
  }
  return check_made_tables(db, *schema);
}

}  // namespace prof
