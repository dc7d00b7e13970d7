// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/where.hpp"

#include <algorithm>

#include "libprof/base/ascii.hpp"
#include "tools/common/nearest.hpp"
#include "tools/common/words.hpp"
#include "tools/report/table/cell_to_sql.hpp"

namespace prof::reports {
namespace {

constexpr const char* kExample = "give a condition on columns, such as 'time_us > 100'";
constexpr std::string_view kQuotes = "'\"`[", kClosingQuotes = "'\"`]";

bool same_word(std::string_view a, std::string_view b) { return lower(a) == lower(b); }

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

/// The bracket or quote that is open at the end of a condition, or closed but not open. Empty:
/// none.
std::string_view unbalanced(std::string_view condition) {
  int depth = 0;
  for (std::size_t at = 0; at < condition.size(); ++at) {
    const std::size_t quote = kQuotes.find(condition[at]);
    if (quote != std::string_view::npos) {
      at = condition.find(kClosingQuotes[quote], at + 1);
      if (at == std::string_view::npos) return kQuotes.substr(quote, 1);
    }
    if (condition[at] == '(') ++depth;
    if (condition[at] == ')' && --depth < 0) return ")";
  }
  return depth > 0 ? "(" : "";
}

/// A parameter, a query or a quoted name that is no column: SQLite would give it a value. Empty:
/// there is none.
std::string_view stray_part(std::string_view condition, std::span<const Column> columns) {
  for (std::size_t at = 0; at < condition.size(); ++at) {
    const char c = condition[at];
    std::size_t end = at + 1;
    while (end < condition.size() && is_word(condition[end])) ++end;
    const std::string_view word = condition.substr(at, end - at);
    if (c == '$' || c == ':' || c == '?' || c == '@' || same_word(word, "select")) return word;
    const std::size_t quote = kQuotes.find(c);
    if (quote != std::string_view::npos) {
      const std::size_t close = condition.find(kClosingQuotes[quote], at + 1);
      const std::string_view name = condition.substr(at + 1, close - at - 1);
      const auto is_it = [&](const Column& column) { return same_word(column.word, name); };
      if (c != '\'' && std::ranges::none_of(columns, is_it)) {
        return condition.substr(at, close - at + 1);
      }
      at = close;
    } else if (is_word(c)) {
      at = end - 1;
    }
  }
  return {};
}

/// Checks a condition without running it.
Status check_form(const std::string& condition, std::span<const Column> columns) {
  if (tools::trimmed(condition).empty()) {
    return Error{.what = "the condition is empty", .where = "--where", .hint = kExample};
  }
  const std::string_view mark = unbalanced(condition);
  if (mark.empty()) {
    const std::string_view stray = stray_part(condition, columns);
    if (stray.empty()) return {};
    return Error{
        .what = std::string(stray).append(" is neither a column nor a value in: ") + condition,
        .where = "--where",
        .hint = "a condition has columns, numbers, texts in single quotes and operators"};
  }
  const std::string_view is_what = mark == ")" ? " is not opened in: " : " is not closed in: ";
  return Error{.what = std::string(mark).append(is_what).append(condition),
               .where = "--where",
               .hint = "texts stand in single quotes, such as op = 'linear'"};
}

Error refused(Error error, std::span<const std::string> conditions,
              std::span<const Column> columns) {
  error.where = "--where";
  std::vector<std::string_view> names;
  for (const Column& column : columns) names.push_back(column.word);
  for (const std::string& condition : conditions) {
    for (const std::string_view word : words_in(condition)) {
      const bool is_known =
          std::ranges::any_of(names, [&](std::string_view name) { return same_word(name, word); });
      if (is_known || !error.what.ends_with(std::string(": ").append(word))) continue;
      error.hint = tools::did_you_mean(word, names);
    }
  }
  if (error.hint.empty()) error.hint = kExample;
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
  for (const std::string& condition : conditions) PROF_TRY(check_form(condition, columns));
  std::string sql = "SELECT 1 FROM (SELECT ";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    sql.append(i > 0 ? ", ?" : "?").append(std::to_string(i + 1)).append(" AS \"");
    sql.append(columns[i].word).append("\"");
  }
  sql += columns.empty() ? "1)" : ")";
  // Aggregates are no conditions on one line: SQLite refuses them here.
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    sql.append(i > 0 ? " AND (" : " WHERE (").append(conditions[i]).append("\n)");
  }
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
  if (step == Statement::Step::kError && status_) {
    Error error = db_.error("the condition failed");
    error.where = "--where";
    status_ = std::move(error);
  }
  const bool holds = step == Statement::Step::kRow;
  statement_.reset();
  return holds;
}

}  // namespace prof::reports
