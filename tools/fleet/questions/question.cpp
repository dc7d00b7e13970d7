// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/questions/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <memory>
#include <utility>

#include "libprof/base/ascii.hpp"
#include "tools/common/words.hpp"
#include "tools/fleet/questions/registry.hpp"
#include "tools/fleet/store/tab_separated.hpp"
#include "tools/report/query/sql_report.hpp"

namespace prof::fleet {
namespace {

using reports::Cell;
using reports::Column;

constexpr std::uint64_t kScreenful = 25;
constexpr std::string_view kWith = "-- with ";

std::string sql_text(std::string_view text) {
  std::string made = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') made += '\\';
    made += c;
  }
  return made + "'";
}

/// A pattern with * and ? as LIKE has it.
std::string like(std::string_view column, std::string_view pattern) {
  std::string made;
  for (const char c : pattern) {
    if (c == '%' || c == '_' || c == '\\') made += '\\';
    made += c == '*' ? '%' : c == '?' ? '_' : c;
  }
  return fmt::format("{} LIKE {}", column, sql_text(made));
}

std::string list_of(std::span<const std::string> texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + sql_text(text);
  return list;
}

}  // namespace

Conditions runs_named(std::span<const std::string> runs) {
  return {.all = {fmt::format("run IN ({})", list_of(runs))}};
}

namespace {

/// Conditions on every table, and on those with such a column.
Conditions conditions_of(const Choice& choice) {
  Conditions made;
  if (!choice.runs.empty()) made = runs_named(choice.runs);
  if (!choice.jobs.empty()) made.runs.push_back(fmt::format("job IN ({})", list_of(choice.jobs)));
  for (const std::string& label : choice.labels) {
    made.runs.push_back(fmt::format("has(labels, {})", sql_text(label)));
  }
  for (const auto& [column, pattern] :
       {std::pair{"op", &choice.op}, std::pair{"layer", &choice.layer},
        std::pair{"dir", &choice.dir}}) {
    if (!pattern->empty()) made.facts.push_back(like(column, *pattern));
  }
  return made;
}

/// A column of an answer, and whether forms for people show it.
struct ShownColumn {
  Column column;
  bool is_in_table = true;
};

/// A column of facts by which lines are made.
Result<Column> key_column(std::string_view word) {
  const auto tables = fleet_tables();
  const FleetTable& facts = *std::ranges::find(tables, "facts", &FleetTable::name);
  std::string known;
  for (const StoredColumn& column : facts.columns) {
    if (column.name == word) {
      return column.type == "String"
                 ? Column::text(column.name, column.name, column.help).cut_end(8)
                 : Column::integer(column.name, column.name, column.unit, column.help);
    }
    known += (known.empty() ? "" : ", ") + std::string(column.name);
  }
  return Error{fmt::format("\"{}\" is no column of facts", word), "--by", "there are: " + known};
}

/// The columns of a question's answer, in the order of the statement.
Result<std::vector<ShownColumn>> columns_of(const Asked& asked) {
  std::vector<ShownColumn> columns;
  const bool has_keys = groups_on_request(*asked.question);
  if (has_keys && tools::trimmed(asked.by).empty()) {
    return Error{"no column is named", "--by", "--by op,dir"};
  }
  for (std::string_view rest = asked.by; has_keys && !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto key = key_column(tools::trimmed(rest.substr(0, end)));
    if (!key) return key.error();
    columns.push_back({*key});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const reports::ReportInfo& info = asked.question->info();
  for (std::size_t i = 0; i < info.columns.size(); ++i) {
    columns.push_back({info.columns[i], std::ranges::count(info.table, i) > 0});
  }
  return columns;
}

/// A value as it came.
Cell cell_of(const TabCell& cell, Column::Type type) {
  if (cell.is_null) return reports::absent();
  const char* const begin = cell.text.data();
  const char* const end = begin + cell.text.size();
  if (type == Column::Type::kInteger) {
    const auto is_read = [end](const std::from_chars_result& read) {
      return read.ptr == end && read.ec == std::errc();
    };
    std::int64_t whole = 0;
    if (is_read(std::from_chars(begin, end, whole))) return reports::signed_number(whole);
    std::uint64_t large = 0;
    if (is_read(std::from_chars(begin, end, large))) return reports::number(large);
    // An integer of more than 64 bits is shown by its digits.
    if (std::all_of(begin, end, [](char c) { return c == '-' || (c >= '0' && c <= '9'); })) {
      return reports::text(cell.text);
    }
  }
  if (type != Column::Type::kText) {
    double value = 0;
    // "nan" and "inf": a division by nothing.
    if (std::from_chars(begin, end, value).ptr != end || !(value - value == 0)) {
      return reports::absent();
    }
    return reports::real(value);
  }
  return reports::text(cell.text);
}

/// With {NAME} of each part replaced by its statement.
std::string with_parts(std::string sql, const Marks& parts) {
  for (const auto& [name, statement] : parts) {
    const std::string mark = "{" + name + "}";
    for (std::size_t at = 0; (at = sql.find(mark, at)) < sql.size(); at += statement.size()) {
      sql.replace(at, mark.size(), statement);
    }
  }
  return sql;
}

/// Statements with parts are nested, and the analyzer that engines have had since 24.3 takes
/// seconds for them, where the one before takes one. Who may only read cannot choose.
Result<std::string> settings_for(Store& store, const reports::Report& question) {
  const std::string file = static_cast<const reports::SqlReport&>(question).sql({});
  if (file.find(kWith) >= file.size()) return std::string();
  constexpr const char* kHasSetting =
      "SELECT countIf(name = 'enable_analyzer') > 0 AND countIf(name = 'readonly' AND value = '1') "
      "= 0 AS may_choose FROM system.settings";
  bool may_choose = false;
  PROF_TRY(read_rows(store.engine(), kHasSetting, [&](std::span<const TabCell> row) {
    may_choose = row[0].text == "1";
    return true;
  }));
  return std::string(may_choose ? " SETTINGS enable_analyzer = 0" : "");
}

bool is_low(const Column& column) { return column.word == "low_pct"; }
bool is_high(const Column& column) { return column.word == "high_pct"; }

void note_limits(std::span<const TabCell> row, std::span<const ShownColumn> columns,
                 Answered& answered) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i].column;
    if (row[i].is_null || (!is_low(column) && !is_high(column))) continue;
    auto& [low, high] = answered.longer_pct;
    (is_low(column) ? low : high) = tools::parse_number<double>(row[i].text);
  }
}

}  // namespace

const reports::Registry& questions() {
  static const reports::Registry all = [] {
    reports::Registry made;
    fleet_questions::register_questions(made);
    return made;
  }();
  return all;
}

std::string statement_in(const reports::Report& question) {
  constexpr std::string_view kAnswer = "-- answer";
  const std::string file = static_cast<const reports::SqlReport&>(question).sql({});
  Marks parts;
  std::string statement;
  std::string_view name;
  for (std::string_view rest = file; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with(kWith) || line.starts_with(kAnswer)) {
      if (!name.empty()) parts[std::string(name)] = "(" + with_parts(statement, parts) + ")";
      statement.clear();
      name = line.substr(std::min(kWith.size(), line.size()));
      name = name.substr(0, name.find(':'));
    } else if (!line.starts_with("--")) {
      statement.append(line) += '\n';
    }
  }
  return with_parts(std::move(statement), parts);
}

bool groups_on_request(const reports::Report& question) {
  const std::string sql = statement_in(question);
  return sql.find("{by}") < sql.size();
}

std::string default_keys(const reports::Report& question) {
  constexpr std::string_view kKeys = "-- keys: ";
  const std::string file = static_cast<const reports::SqlReport&>(question).sql({});
  const std::size_t at = file.find(kKeys);
  if (at >= file.size()) return {};
  const std::size_t begin = at + kKeys.size();
  return file.substr(begin, file.find('\n', begin) - begin);
}

std::vector<std::string> arguments_of(const reports::Report& question) {
  const std::string sql = statement_in(question);
  std::vector<std::string> names;
  for (const auto& [mark, name] : {std::pair{"{a}", "A"}, std::pair{"{b}", "B"}}) {
    if (sql.find(mark) < sql.size()) names.emplace_back(name);
  }
  return names;
}

bool decides(const reports::Report& question) {
  return std::ranges::any_of(question.info().columns, is_low);
}

Result<std::string> statement_of(const Store& store, const Asked& asked) {
  const std::string statement = statement_in(*asked.question);
  const Choice& choice = asked.choice;
  const bool chooses_work = !choice.op.empty() || !choice.layer.empty() || !choice.dir.empty();
  if (chooses_work && statement.find("{facts}") >= statement.size()) {
    return Error{"asks for no GPU work, among which one could choose",
                 std::string(asked.question->info().name), "leave out --op, --layer and --dir"};
  }
  Marks marks{{"by", asked.by}};
  const std::vector<std::string> names = arguments_of(*asked.question);
  for (std::size_t i = 0; i < names.size(); ++i) {
    marks[lower(names[i])] = sql_text(asked.arguments.at(i));
  }
  Conditions conditions = conditions_of(choice);
  if (!names.empty()) conditions.all.push_back(runs_named(asked.arguments).all.front());
  return store.expand(statement, conditions, marks);
}

Result<Answered> ask(Store& store, const Asked& asked, reports::Renderer& renderer,
                     bool for_people) {
  const auto columns = columns_of(asked);
  if (!columns) return columns.error();
  const auto statement = statement_of(store, asked);
  if (!statement) return statement.error();
  const auto settings = settings_for(store, *asked.question);
  if (!settings) return settings.error();
  std::vector<std::size_t> shown;
  std::vector<Column> headers;
  for (std::size_t i = 0; i < columns->size(); ++i) {
    if (for_people && !(*columns)[i].is_in_table) continue;
    shown.push_back(i);
    headers.push_back((*columns)[i].column);
  }
  Answered answered;
  bool has_begun = false;
  const auto begin = [&] {
    if (!std::exchange(has_begun, true)) renderer.begin(headers);
  };
  const std::uint64_t limit = asked.limit.value_or(for_people ? kScreenful : UINT64_MAX);
  std::vector<Cell> cells(shown.size());
  Status status =
      read_rows(store.engine(), *statement + *settings, [&](std::span<const TabCell> row) {
        if (row.size() != columns->size()) return false;
        if (answered.lines == limit) {
          answered.has_more = true;
          return false;
        }
        if (answered.lines++ == 0) note_limits(row, *columns, answered);
        begin();
        for (std::size_t i = 0; i < shown.size(); ++i) {
          cells[i] = cell_of(row[shown[i]], headers[i].type);
        }
        return renderer.row(cells);
      });
  if (status) begin();
  if (has_begun) renderer.end(status.ok());
  if (!status) return status.error();
  return answered;
}

namespace {

/// Words and signs of a statement, without comments and what is quoted.
class Tokens {
 public:
  explicit Tokens(std::string_view sql) : rest_(sql) {}

  /// A word in upper case, or a sign; empty: there is no more.
  std::string next() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (rest_.starts_with("--") || c == '#') {
        skip_to("\n");
      } else if (rest_.starts_with("/*")) {
        skip_to("*/");
      } else if (c == '\'' || c == '"' || c == '`') {
        skip_quoted(c);
      } else if (is_of_word(c)) {
        return take_word();
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        rest_.remove_prefix(1);
      } else {
        rest_.remove_prefix(1);
        return std::string(1, c);
      }
    }
    return {};
  }

 private:
  static bool is_of_word(char c) { return is_word(c) || is_of_other_script(c); }
  void skip_to(std::string_view end) {
    const std::size_t at = rest_.find(end);
    rest_.remove_prefix(
        std::min(rest_.size(), at == std::string_view::npos ? at : at + end.size()));
  }
  void skip_quoted(char quote) {
    std::size_t i = 1;
    while (i < rest_.size() && rest_[i] != quote) i += rest_[i] == '\\' ? 2U : 1U;
    rest_.remove_prefix(std::min(rest_.size(), i + 1));
  }
  std::string take_word() {
    std::string word;
    for (; !rest_.empty() && is_of_word(rest_.front()); rest_.remove_prefix(1)) {
      word += static_cast<char>(std::toupper(static_cast<unsigned char>(rest_.front())));
    }
    return word;
  }

  std::string_view rest_;
};

/// One statement that only reads: what the engine itself would carry out is not limited to these.
Status check_reads(std::string_view sql) {
  Tokens tokens(sql);
  std::string token = tokens.next();
  constexpr std::array kReads = {"SELECT", "WITH", "SHOW", "DESCRIBE", "EXPLAIN", "("};
  if (std::ranges::find(kReads, token) == kReads.end()) {
    return Error{"only statements that read are carried out", token, "begin with SELECT"};
  }
  constexpr const char* kWhere = "the statement";
  while (!token.empty()) {
    const std::string next = tokens.next();
    // Functions may have such names.
    const bool is_clause = next != "(";
    if (token == ";") {
      return Error{"has a semicolon", kWhere, "one statement is carried out, without one"};
    }
    if (is_clause && (token == "INSERT" || token == "OUTFILE")) {
      return Error{"only statements that read are carried out", token,
                   "quote it if it is a name; -o writes a file"};
    }
    if (is_clause && token == "FORMAT") {
      return Error{"states a FORMAT", kWhere, "-f csv and -f json choose the form"};
    }
    token = next;
  }
  return {};
}

}  // namespace

Result<Answered> ask_sql(Store& store, const std::string& sql, reports::Renderer& renderer) {
  PROF_TRY(check_reads(sql));
  Answered answered;
  std::vector<Cell> cells;
  std::vector<AnswerColumn> columns;
  bool has_begun = false;
  const auto begin = [&](std::span<const AnswerColumn> found) {
    columns.assign(found.begin(), found.end());
    std::vector<Column> headers;
    for (const AnswerColumn& column : columns) {
      headers.push_back(column.type == Column::Type::kText
                            ? Column::text(column.name, column.name, "")
                            : Column::real(column.name, column.name, "", "", Column::kAllDecimals));
    }
    cells.resize(columns.size());
    renderer.begin(headers);
    has_begun = true;
  };
  TabSeparated rows([&](std::span<const TabCell> row) {
    if (!has_begun) begin(rows.columns());
    ++answered.lines;
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = cell_of(row[i], columns[i].type);
    return renderer.row(cells);
  });
  Status status =
      store.engine().query(store.expand(sql, {}) + " FORMAT TabSeparatedWithNamesAndTypes",
                           [&](std::string_view bytes) { return rows.add(bytes); });
  if (status && !has_begun) begin(rows.columns());
  if (has_begun) renderer.end(status.ok());
  if (!status) return status.error();
  return answered;
}

}  // namespace prof::fleet
