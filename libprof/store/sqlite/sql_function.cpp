// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SQLite's side of functions: https://www.sqlite.org/appfunc.html.
#include "libprof/store/sqlite/sql_function.hpp"

#include <sqlite3.h>

#include <array>
#include <string>

namespace prof {
namespace {

void call(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto& function = *static_cast<const SqlFunction*>(sqlite3_user_data(context));
  std::array<std::string_view, SqlFunction::kMaxArguments> texts;
  for (std::size_t i = 0; i < function.arguments; ++i) {
    if (sqlite3_value_type(arguments[i]) == SQLITE_NULL) return;
    const unsigned char* const text = sqlite3_value_text(arguments[i]);
    if (text == nullptr) {
      sqlite3_result_error_nomem(context);
      return;
    }
    texts[i] = {reinterpret_cast<const char*>(text),
                static_cast<std::size_t>(sqlite3_value_bytes(arguments[i]))};
  }
  if (const auto result = function.call(std::span(texts).first(function.arguments))) {
    sqlite3_result_int64(context, *result);
  }
}

}  // namespace

Status create_function(sqlite3* db, const SqlFunction& function) {
  const std::string name(function.name);
  const int code = sqlite3_create_function_v2(
      db, name.c_str(), static_cast<int>(function.arguments),
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, const_cast<SqlFunction*>(&function),
      call, nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return Error{"cannot be created: " + std::string(sqlite3_errmsg(db)), "function " + name, ""};
}

}  // namespace prof
