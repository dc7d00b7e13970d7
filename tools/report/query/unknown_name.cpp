// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/query/unknown_name.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libprof/base/ascii.hpp"
#include "tools/common/nearest.hpp"
#include "tools/report/query/row_tables.hpp"
#include "tools/report/query/sql_functions.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

/// The columns of SELECT *; none: there is no such table.
std::vector<std::string> columns_of(std::string_view table, SqliteDb& db) {
  std::vector<std::string> columns;
  const auto select = db.prepare_query(std::string("SELECT * FROM ").append(table));
  for (int i = 0; select && i < select->column_count(); ++i) {
    columns.push_back(select->column_name(i));
  }
  return columns;
}

/// Names of row kinds, and of those of the trace's own tables and views that a statement may read.
std::vector<std::string> tables_in(SqliteDb& db) {
  std::vector<std::string> names;
  for (const RowKind* kind : row_kinds()) names.emplace_back(kind->names.table);
  auto all = db.prepare_query(
      "SELECT name FROM sqlite_master UNION SELECT name FROM sqlite_temp_master ORDER BY name");
  while (all && all->step() == Statement::Step::kRow) {
    std::string name(all->text(0));
    const bool is_known = std::ranges::find(names, name) != names.end();
    if (!is_known && !columns_of(name, db).empty()) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string_view> views_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

std::vector<std::string> columns_of_named(std::span<const std::string> tables, SqliteDb& db) {
  std::vector<std::string> columns;
  for (const std::string& table : tables) {
    const std::vector<std::string> own = columns_of(table, db);
    columns.insert(columns.end(), own.begin(), own.end());
    for (const RowKind* kind : row_kinds()) {
      if (kind->names.table != table) continue;
      // SELECT * leaves some out.
      for (const Field& field : kind->fields) columns.emplace_back(field.column.word);
    }
  }
  return columns;
}

/// "attributed_kernels, attributed_work": row kinds with that column; "": none.
std::string kinds_with(std::string_view column) {
  std::string names;
  for (const RowKind* kind : row_kinds()) {
    const auto is_it = [column](const Field& field) { return field.column.word == column; };
    if (std::ranges::none_of(kind->fields, is_it)) continue;
    names.append(names.empty() ? "" : ", ").append(kind->names.table);
  }
  return names;
}

}  // namespace

Error with_nearest(Error error, std::string_view sql, SqliteDb& db) {
  const std::string_view said = error.what;
  const auto name_after = [said](std::string_view words) {
    if (!said.starts_with(words)) return std::string();
    const std::string_view name = said.substr(words.size());
    return std::string(name.substr(name.rfind('.') + 1));  // "k.tme_ns" with a table's alias
  };
  if (const std::string function = name_after("no such function: "); !function.empty()) {
    std::vector<std::string_view> names;
    for (const SqlAggregateFunction& one : aggregates()) names.push_back(one.name);
    for (const SqlFunction& one : sql_functions()) names.push_back(one.name);
    error.hint = tools::did_you_mean(function, names);
    return error;
  }
  const std::string table = name_after("no such table: ");
  const std::string column = name_after("no such column: ");
  if (table.empty() && column.empty()) return error;
  const std::vector<std::string> tables = tables_in(db);
  if (!table.empty()) {
    error.hint = tools::did_you_mean(table, views_of(tables));
    if (error.hint.empty()) error.hint = "prof-report --list all shows the tables";
    return error;
  }
  std::vector<std::string> named;
  std::ranges::copy_if(tables, std::back_inserter(named),
                       [sql](const std::string& one) { return names_table(sql, one); });
  if (const std::string kinds = kinds_with(lower(column)); !kinds.empty()) {
    error.hint = "tables with it: " + kinds;
    return error;
  }
  const std::vector<std::string> columns = columns_of_named(named, db);
  error.hint = tools::did_you_mean(column, views_of(columns));
  if (!error.hint.empty() || named.empty()) return error;
  const auto is_it = [&](const RowKind* kind) { return kind->names.table == named.front(); };
  error.hint =
      std::ranges::any_of(row_kinds(), is_it)
          ? std::string("its columns: prof-report --list ").append(named.front())
          : std::string("docs/formats/schema.md has the columns of ").append(named.front());
  return error;
}

}  // namespace prof::reports
