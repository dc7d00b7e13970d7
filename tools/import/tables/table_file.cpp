// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/tables/table_file.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <utility>

#include "libprof/store/read/trace_open.hpp"
#include "libprof/store/schema/schema.hpp"
#include "tools/import/first_bytes.hpp"
#include "tools/import/tables/sqlite_signature.hpp"

namespace prof::importers {
namespace {

/// A name from the file, as SQL.
std::string quoted(std::string_view name) {
  std::string sql = "\"";
  for (const char c : name) sql.append(c == '"' ? 2 : 1, c);
  return sql + "\"";
}

/// first_bytes() decompresses, SQLite does not.
Result<bool> is_compressed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(kSqliteMagic.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (!file) return Error{"cannot be read", path, ""};
  return !is_sqlite(start);
}

Status check_format(const std::string& path) {
  const Result<std::string> start = first_bytes(path);
  if (!start) return start.error();
  if (is_trace(*start)) {
    return Error{"is a trace already", path, "prof-report reads it as it is"};
  }
  const Result<bool> compressed = is_compressed(path);
  if (!compressed) return compressed.error();
  if (*compressed) return Error{"is compressed", path, "decompress it first"};
  return {};
}

}  // namespace

Error TableFile::explained(Error error) const {
  error.hint = again_;
  return error;
}

Error TableFile::damaged(std::string_view how) const {
  return explained({std::string("is damaged: ").append(how), db_.path(), ""});
}

bool TableRows::next() {
  is_odd_ = false;
  const Statement::Step step = statement_.step();
  failed_ = step != Statement::Step::kRow && step != Statement::Step::kDone;
  return step == Statement::Step::kRow;
}

Status TableRows::status() const { return failed_ ? Status(file_->error()) : Status(); }

std::optional<std::int64_t> TableRows::integer(std::size_t column) {
  const Statement::Type type = statement_.type(place(column));
  if (type == Statement::Type::kInteger) return statement_.integer(place(column));
  is_odd_ |= type != Statement::Type::kNull;
  return std::nullopt;
}

std::optional<double> TableRows::real(std::size_t column) {
  const Statement::Type type = statement_.type(place(column));
  if (type == Statement::Type::kReal || type == Statement::Type::kInteger) {
    return statement_.real(place(column));
  }
  is_odd_ |= type != Statement::Type::kNull;
  return std::nullopt;
}

std::optional<std::uint32_t> TableRows::number32(std::size_t column) {
  const auto number = integer(column);
  if (!number) return std::nullopt;
  if (*number >= 0 && *number <= std::numeric_limits<std::uint32_t>::max()) {
    return static_cast<std::uint32_t>(*number);
  }
  is_odd_ = true;
  return std::nullopt;
}

std::string_view TableRows::text(std::size_t column) {
  const Statement::Type type = statement_.type(place(column));
  if (type == Statement::Type::kText) return statement_.text(place(column));
  is_odd_ |= type != Statement::Type::kNull;
  return {};
}

std::string_view TableRows::blob(std::size_t column) {
  const Statement::Type type = statement_.type(place(column));
  if (type == Statement::Type::kBlob) return statement_.blob(place(column));
  is_odd_ |= type != Statement::Type::kNull;
  return {};
}

Result<Statement> TableFile::prepare(const std::string& sql) {
  Result<Statement> statement = db_.prepare(sql);
  if (!statement) return explained(statement.error());
  return statement;
}

Result<TableFile> TableFile::open(const std::string& path, std::string_view again) {
  PROF_TRY(check_format(path));
  Result<SqliteDb> db = open_foreign_database(path);
  if (!db) {
    Error error = db.error();
    error.hint = again;
    return error;
  }
  TableFile file(std::move(*db), again);
  PROF_TRY(file.read_schema());
  return file;
}

Status TableFile::read_schema() {
  db_.allow_only({});
  std::vector<std::string> names;
  {
    constexpr std::size_t kMostUnread = 1000;
    auto found = prepare(
        "SELECT name, type='table' AND rootpage>0 FROM sqlite_schema WHERE type IN "
        "('table','view')");
    if (!found) return found.error();
    Statement::Step step;
    while ((step = found->step()) == Statement::Step::kRow) {
      if (found->integer(1) != 0) {
        names.emplace_back(found->text(0));
      } else if (unread_.size() < kMostUnread) {
        unread_.emplace(found->text(0));
      }
    }
    if (step != Statement::Step::kDone) return error();
  }
  const std::vector<std::string_view> allowed(names.begin(), names.end());
  db_.allow_only(allowed);
  for (const std::string& name : names) {
    if (name.find('"') != std::string::npos || name.starts_with("sqlite_")) continue;
    auto columns = table_columns(db_, name);
    if (!columns) return explained(columns.error());
    std::erase_if(*columns, [](const TableColumn& column) { return column.computed; });
    tables_.emplace(name, std::move(*columns));
  }
  return {};
}

bool TableFile::has(std::string_view table, std::string_view column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() &&
         std::ranges::find(found->second, column, &TableColumn::name) != found->second.end();
}

bool TableFile::is_key(std::string_view table, std::string_view column) const {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return false;
  return std::ranges::all_of(found->second, [&](const TableColumn& other) {
    return (other.key != 0) == (other.name == column);
  });
}

std::vector<std::string_view> TableFile::tables() const {
  std::vector<std::string_view> names;
  for (const auto& [name, columns] : tables_) names.push_back(name);
  return names;
}

Result<TableRows> TableFile::selected(std::string_view select, std::string_view table,
                                      std::span<const std::string_view> columns,
                                      std::string_view rest) {
  std::string sql(select);
  std::vector<bool> has_column;
  for (const std::string_view column : columns) {
    sql.append(has_column.empty() ? " " : ",");
    has_column.push_back(has(table, column));
    sql.append(has_column.back() ? quoted(column) : "NULL");
  }
  sql.append(" FROM main.").append(quoted(table)).append(" NOT INDEXED").append(rest);
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.error();
  return TableRows(*this, std::move(*statement), std::move(has_column));
}

Result<TableRows> TableFile::rows(std::string_view table, std::span<const std::string_view> columns,
                                  const std::string& where,
                                  std::span<const std::string_view> order) {
  std::string rest;
  if (!where.empty()) rest.append(" WHERE ").append(where);
  std::string_view separator = " ORDER BY ";
  for (const std::string_view column : order) {
    if (!has(table, column)) continue;
    rest.append(separator).append(quoted(column));
    separator = ",";
  }
  return selected("SELECT", table, columns, rest);
}

Result<TableRows> TableFile::distinct(std::string_view table,
                                      std::span<const std::string_view> columns) {
  return selected("SELECT DISTINCT", table, columns, "");
}

Result<std::uint64_t> TableFile::count(std::string_view table, const std::string& where) {
  std::string sql = "SELECT count(*) FROM main." + quoted(table) + " NOT INDEXED";
  if (!where.empty()) sql.append(" WHERE ").append(where);
  Result<Statement> counted = prepare(sql);
  if (!counted) return counted.error();
  if (counted->step() != Statement::Step::kRow) {
    return error();
  }
  return counted->unsigned_integer(0);
}

}  // namespace prof::importers
