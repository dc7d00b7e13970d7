// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SQLite's side of virtual tables: https://www.sqlite.org/vtab.html. No exception crosses SQLite's
// frames: any exception is reported as out of memory.
#include "libprof/store/sqlite/virtual_table.hpp"

#include <sqlite3.h>

#include <new>
#include <utility>

namespace prof {
namespace {

using TablePtr = std::shared_ptr<const VirtualTable>;

struct Table : sqlite3_vtab {
  explicit Table(TablePtr what) : sqlite3_vtab{}, table(std::move(what)) {}
  TablePtr table;
};

struct Cursor : sqlite3_vtab_cursor {
  Cursor() : sqlite3_vtab_cursor{} {}
  std::unique_ptr<VirtualRows> rows;
  sqlite3_int64 row_id = 0;
  bool at_row = false;
};

template <typename Call>
int guarded(Call call) {
  try {
    return call();
  } catch (const std::exception&) {
    return SQLITE_NOMEM;
  }
}

std::string declaration(const VirtualTable& table) {
  std::string sql;
  for (const VirtualColumn& column : table.columns()) {
    sql.append(sql.empty() ? "CREATE TABLE x(\"" : ",\"").append(column.name).append("\" ");
    switch (column.type) {
      case VirtualColumn::Type::kText:
        sql.append("TEXT");
        break;
      case VirtualColumn::Type::kInteger:
        sql.append("INTEGER");
        break;
      case VirtualColumn::Type::kReal:
        sql.append("REAL");
        break;
    }
    if (column.hidden) sql.append(" HIDDEN");
  }
  return sql.append(")");
}

int connect(sqlite3* db, void* shared, int, const char* const*, sqlite3_vtab** made, char**) {
  return guarded([&] {
    const TablePtr& table = *static_cast<const TablePtr*>(shared);
    const int code = sqlite3_declare_vtab(db, declaration(*table).c_str());
    if (code != SQLITE_OK) return code;
    // A view or trigger in the file cannot run the scan.
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    *made = new Table(table);
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// All rows are returned, in their own order: SQLite filters and sorts.
int best_index(sqlite3_vtab*, sqlite3_index_info* plan) {
  plan->estimatedCost = 1e9;
  plan->estimatedRows = 1'000'000;
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  return guarded([&] {
    *made = new Cursor;
    return SQLITE_OK;
  });
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* base) {
  return guarded([&] {
    Cursor& cursor = *static_cast<Cursor*>(base);
    cursor.at_row = cursor.rows->next();
    if (cursor.at_row) {
      ++cursor.row_id;
      return SQLITE_OK;
    }
    const Status status = cursor.rows->status();
    if (status) return SQLITE_OK;
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", status.error().to_line().c_str());
    return SQLITE_ERROR;
  });
}

int filter(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value**) {
  const int code = guarded([&] {
    Cursor& cursor = *static_cast<Cursor*>(base);
    cursor.rows.reset();  // frees a scan's memory before the next one allocates
    cursor.rows = static_cast<Table*>(base->pVtab)->table->open();
    cursor.row_id = 0;
    return SQLITE_OK;
  });
  return code == SQLITE_OK ? next(base) : code;
}

int at_end(sqlite3_vtab_cursor* base) { return static_cast<Cursor*>(base)->at_row ? 0 : 1; }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  return guarded([&] {
    SqlValue value(context);
    static_cast<Cursor*>(base)->rows->value(static_cast<std::size_t>(index), value);
    return SQLITE_OK;
  });
}

int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = static_cast<Cursor*>(base)->row_id;
  return SQLITE_OK;
}

// xCreate is xConnect: the table has no stored state.
constexpr sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.xCreate = connect;
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xDestroy = disconnect;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}();

}  // namespace

void SqlValue::integer(std::int64_t value) { sqlite3_result_int64(context_, value); }
void SqlValue::real(double value) { sqlite3_result_double(context_, value); }
void SqlValue::text(std::string_view value) {
  const char* const data = value.data() != nullptr ? value.data() : "";
  sqlite3_result_text64(context_, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

Status create_virtual_table(sqlite3* db, std::shared_ptr<const VirtualTable> table) {
  const std::string name(table->name());
  const auto forget = [](void* shared) { delete static_cast<TablePtr*>(shared); };
  // On failure SQLite has already called `forget`.
  int code =
      sqlite3_create_module_v2(db, name.c_str(), &kModule, new TablePtr(std::move(table)), forget);
  if (code == SQLITE_OK) {
    const std::string sql = "CREATE VIRTUAL TABLE temp." + name + " USING " + name;
    code = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
  }
  if (code == SQLITE_OK) return {};
  return Error{"cannot be created: " + std::string(sqlite3_errmsg(db)), "table " + name, ""};
}

}  // namespace prof
