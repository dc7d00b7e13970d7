// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SQLite's side of aggregate functions: https://www.sqlite.org/appfunc.html. No exception crosses
// SQLite's frames.
#include "libprof/store/sqlite/sql_aggregate.hpp"

#include <sqlite3.h>

#include <exception>
#include <string>

namespace prof {
namespace {

using Begin = std::unique_ptr<SqlAggregate> (*)();

/// The state that SQLite keeps for a group; it begins as zeros.
struct Group {
  SqlAggregate* values;
};

void step(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
  auto* const group = static_cast<Group*>(sqlite3_aggregate_context(context, sizeof(Group)));
  if (group == nullptr) {
    sqlite3_result_error_nomem(context);
    return;
  }
  try {
    if (group->values == nullptr) {
      const auto& begin = *static_cast<const Begin*>(sqlite3_user_data(context));
      group->values = begin().release();
    }
    group->values->add(sqlite3_value_double(arguments[0]));
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

// Also called when a statement ends early. Without a value, SQLite's default result is NULL.
void finish(sqlite3_context* context) {
  const auto* const group = static_cast<const Group*>(sqlite3_aggregate_context(context, 0));
  if (group == nullptr || group->values == nullptr) return;
  const std::unique_ptr<SqlAggregate> values(group->values);
  try {
    if (const std::optional<double> result = values->result()) {
      sqlite3_result_double(context, *result);
    }
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

Status create_aggregate(sqlite3* db, const SqlAggregateFunction& function) {
  const std::string name(function.name);
  const auto forget = [](void* begin) { delete static_cast<Begin*>(begin); };
  // On failure SQLite has already called `forget`.
  const int code = sqlite3_create_function_v2(
      db, name.c_str(), 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
      new Begin(function.begin), nullptr, step, finish, forget);
  if (code == SQLITE_OK) return {};
  return Error{"cannot be created: " + std::string(sqlite3_errmsg(db)), "function " + name, ""};
}

}  // namespace prof
