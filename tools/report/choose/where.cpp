// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/choose/where.hpp"

#include <algorithm>
#include <cctype>

#include "tools/common/nearest.hpp"
#include "tools/common/words.hpp"
#include "tools/report/sql/cell_to_sql.hpp"

namespace prof::reports {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool same_word(std::string_view a, std::string_view b) {
  return tools::lower(a) == tools::lower(b);
}

/// The words outside of 'texts'.
std::vector<std::string_view> words_in(std::string_view condition) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < condition.size();) {
    if (condition[at] == '\'') {
      at = std::min(condition.find('\'', at + 1), condition.size() - 1) + 1;
      continue;
    }
    std::size_t end = at;
    while (end < condition.size() && is_word(condition[end])) ++end;
    if (end > at) words.push_back(condition.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

struct Bind {
  Statement& statement;
  int parameter;
  std::string& kept;  // of what is made here, until the statement has run

  void null() const { statement.bind_null(parameter); }
  void integer(std::int64_t value) const { statement.bind(parameter, value); }
  void real(double value) const { statement.bind_double(parameter, value); }
  void text(std::string_view value) const { statement.bind_text(parameter, value); }
  void json(std::string_view value) const {
    kept.assign(value);
    text(kept);
  }
};

Error refused(Error error, std::span<const std::string> conditions,
              std::span<const Column> columns) {
  error.where = "--where";
  std::vector<std::string_view> names;
  for (const Column& column : columns) names.push_back(column.word);
  for (const std::string& condition : conditions) {
    for (const std::string_view word : words_in(condition)) {
      const bool is_known =
          std::ranges::any_of(names, [&](std::string_view name) { return same_word(name, word); });
      if (is_known || error.what.find(word) == std::string::npos) continue;
      error.hint = tools::did_you_mean(word, names);
    }
  }
  if (error.hint.empty()) error.hint = "give a condition on columns, such as 'time_us > 100'";
  return error;
}

}  // namespace

std::vector<std::size_t> columns_in(std::string_view condition, std::span<const Column> columns) {
  std::vector<std::size_t> used;
  for (const std::string_view word : words_in(condition)) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_new = std::ranges::find(used, i) == used.end();
      if (is_new && same_word(columns[i].word, word)) used.push_back(i);
    }
  }
  return used;
}

Result<std::unique_ptr<Where>> Where::make(std::span<const std::string> conditions,
                                           std::span<const Column> columns) {
  std::string sql = "SELECT ";
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    sql.append(i > 0 ? " AND (" : "(").append(conditions[i]).append("\n)");
  }
  sql += " FROM (SELECT ";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    sql.append(i > 0 ? ", ?" : "?").append(std::to_string(i + 1)).append(" AS \"");
    sql.append(columns[i].word).append("\"");
  }
  sql += columns.empty() ? "1)" : ")";
  Result<SqliteDb> db = SqliteDb::open_for_queries();
  if (!db) return db.error();
  std::unique_ptr<Where> where(new Where(std::move(*db)));
  Result<Statement> statement = where->db_.prepare_query(sql);
  if (!statement) return refused(statement.error(), conditions, columns);
  where->statement_ = std::move(*statement);
  where->texts_.resize(columns.size());
  return where;
}

bool Where::holds(std::span<const Cell> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Bind to{statement_, static_cast<int>(i) + 1, texts_[i]};
    to_sql(cells[i], to);
  }
  const Statement::Step step = statement_.step();
  if (step != Statement::Step::kRow && status_) status_ = db_.error("the condition failed");
  const bool holds = step == Statement::Step::kRow && statement_.real(0) != 0;
  statement_.reset();
  return holds;
}

}  // namespace prof::reports
