// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/foreign_database.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

namespace prof::fuzz {
namespace {

struct Row {
  std::string table;
  std::vector<std::pair<std::string, std::string>> values;  // columns and SQL
};

/// Calls `take` for each part of a text, without the separators.
template <typename Take>
void for_each_part(std::string_view text, char separator, Take take) {
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(separator), text.size());
    if (length != 0) take(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

std::string in_quotes(std::string_view text, char quote) {
  std::string sql(1, quote);
  for (const char c : text) {
    if (c != '\0') sql.append(c == quote ? 2 : 1, c);
  }
  return sql + quote;
}

std::string as_sql(std::string_view value) {
  if (value.empty()) return "NULL";
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  if (std::from_chars(value.data(), end, number).ptr == end) return std::to_string(number);
  const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
  const std::string_view digits = value.substr(1);
  if (value.front() == 'x' && digits.size() % 2 == 0 && std::ranges::all_of(digits, is_digit)) {
    return std::string("x'").append(digits).append("'");
  }
  std::string text(value);
  std::ranges::replace(text, '+', ' ');
  return in_quotes(text, '\'');
}

Row row_of(std::string_view text) {
  Row row;
  for_each_part(text, ' ', [&row](std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      if (row.table.empty()) row.table = word;
    } else if (equals != 0) {
      row.values.emplace_back(in_quotes(word.substr(0, equals), '"'),
                              as_sql(word.substr(equals + 1)));
    }
  });
  return row;
}

std::string listed(const std::set<std::string>& columns) {
  std::string list;
  for (const std::string& column : columns) list.append(list.empty() ? "" : ",").append(column);
  return list;
}

}  // namespace

void write_database(const std::string& path, std::string_view rows) {
  std::vector<Row> made;
  std::map<std::string, std::set<std::string>> tables;
  for_each_part(rows, '|', [&](std::string_view text) {
    Row row = row_of(text);
    if (row.table.empty() || row.values.empty()) return;
    for (const auto& [column, value] : row.values) tables[row.table].insert(column);
    made.push_back(std::move(row));
  });
  std::string sql = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;";
  for (const auto& [table, columns] : tables) {
    sql.append("CREATE TABLE ").append(in_quotes(table, '"'));
    sql.append("(").append(listed(columns)).append(");");
  }
  for (const Row& row : made) {
    std::string columns, values;
    for (const auto& [column, value] : row.values) {
      columns.append(columns.empty() ? "" : ",").append(column);
      values.append(values.empty() ? "" : ",").append(value);
    }
    sql.append("INSERT INTO ").append(in_quotes(row.table, '"')).append("(").append(columns);
    sql.append(") VALUES(").append(values).append(");");
  }
  sql.append("COMMIT");
  std::filesystem::remove(path);
  sqlite3* db = nullptr;
  // A name or a row that SQLite refuses ends the script; what came before it is kept.
  if (sqlite3_open(path.c_str(), &db) == SQLITE_OK) {
    sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
  }
  sqlite3_close(db);
}

}  // namespace prof::fuzz
