// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/schema_check.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/store/schema.hpp"

namespace prof {
namespace {

/// What a reader reads.
constexpr std::array<std::string_view, 19> kRead = {
    "meta",           "string",       "process",    "thread",      "device",
    "domain",         "api_function", "api_call",   "work_origin", "queue",
    "launch_config",  "kernel",       "memcpy",     "memset",      "range",
    "payload_schema", "payload_blob", "graph_node", "loss"};

struct Found {
  std::string type;
  bool has_pages = false;
  bool without_row_id = false;
};

Error damaged(const SqliteDb& db, std::string_view table, std::string_view why) {
  return {"is damaged: table " + std::string(table) + " " + std::string(why), db.path(),
          "capture again"};
}

Result<Found> look_up(SqliteDb& db, std::string_view table) {
  Result<Statement> rows = db.prepare(
      "SELECT type,rootpage,sql FROM sqlite_schema WHERE name=? AND type IN ('table','view')");
  if (!rows) return rows.error();
  rows->bind_text(1, table);
  const Statement::Step step = rows->step();
  if (step == Statement::Step::kDone) return Found{};
  if (step != Statement::Step::kRow) return db.error("cannot be read");
  return Found{std::string(rows->text(0)), rows->integer(1) > 0,
               rows->text(2).find("WITHOUT ROWID") != std::string_view::npos};
}

/// "a, b": the columns of the key, in their order.
Result<std::string> read_key(SqliteDb& db, std::string_view table) {
  const Result<std::vector<TableColumn>> columns = table_columns(db, table);
  if (!columns) return columns.error();
  std::string key;
  for (std::int64_t place = 1; place <= static_cast<std::int64_t>(columns->size()); ++place) {
    for (const TableColumn& column : *columns) {
      if (column.computed) return damaged(db, table, "has a computed column");
      if (column.key == place) key.append(key.empty() ? "" : ", ").append(column.name);
    }
  }
  return key;
}

Status check_table(SqliteDb& db, const schema::Table& table) {
  const Result<Found> found = look_up(db, table.name);
  if (!found) return found.error();
  if (found->type.empty()) return damaged(db, table.name, "is missing");
  if (found->type != "table") return damaged(db, table.name, "is a view");
  if (!found->has_pages) return damaged(db, table.name, "is not stored in the file");
  const Result<std::string> key = read_key(db, table.name);
  if (!key) return key.error();
  const bool keyed = !table.primary_key.empty();
  if (found->without_row_id != keyed || (keyed && *key != table.primary_key)) {
    return damaged(db, table.name, "has another key");
  }
  return {};
}

/// What is left where a capture was killed before its first commit.
Result<bool> is_blank(SqliteDb& db) {
  Result<Statement> rows = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1");
  if (!rows) return rows.error();
  const Statement::Step step = rows->step();
  if (step != Statement::Step::kRow && step != Statement::Step::kDone) {
    return db.error("cannot be read");
  }
  return step == Statement::Step::kDone;
}

}  // namespace

Status check_tables(SqliteDb& db) {
  db.allow_only(kRead);
  const Result<bool> blank = is_blank(db);
  if (!blank) return blank.error();
  if (*blank) {
    return Error{"holds nothing: its capture was killed as it began", db.path(), "capture again"};
  }
  for (const schema::Table& table : schema::tables()) {
    if (std::ranges::find(kRead, table.name) == kRead.end()) continue;
    PROF_TRY(check_table(db, table));
  }
  return {};
}

}  // namespace prof
