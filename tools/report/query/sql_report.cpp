// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports from SQL files, see sql_report.hpp. The files are ours: the tests SqlReports.* check that
// each describes what it selects.
#include "tools/report/query/sql_report.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "analyzers/timeline/idle_cause.hpp"
#include "tools/common/words.hpp"
#include "tools/report/query/query.hpp"
#include "tools/report/query/row_tables.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kAsked = "asked";

/// Removes and returns the text before the next `mark`.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return tools::trimmed(part);
}

std::uint8_t digit(std::string_view text) {
  return text.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(text[0] - '0');
}

// "word | header | unit | type | help"; types: text, text N (least width in narrow tables), tensors
// N (likewise, of sizes), label (a text that stands once for all lines that share it), id, count,
// real N (decimals of tables), time and instant (in nanoseconds), each followed by "drop N" if
// narrow tables may drop the column (Column::drop_rank), or by "asked" if the statement has it on
// request.
struct Described {
  Column column;
  bool is_asked = false;
};
Described column_of(std::string_view line) {
  const std::string_view word = take(line, '|'), header = take(line, '|'), unit = take(line, '|');
  std::string_view type = take(line, '|');
  const std::string_view help = tools::trimmed(line);
  const bool is_asked = type.ends_with(kAsked);
  if (is_asked) type = tools::trimmed(type.substr(0, type.size() - kAsked.size()));
  const std::string_view what = take(type, ' ');
  const bool has_number = !type.empty() && type[0] >= '0' && type[0] <= '9';
  const std::string_view size = has_number ? take(type, ' ') : "";
  const std::uint8_t rank = take(type, ' ') == "drop" ? digit(type) : std::uint8_t{0};
  const auto described = [&](const Column& column) {
    return Described{.column = column.drop(rank), .is_asked = is_asked};
  };
  if (what == "id") return described(Column::integer(word, header, unit, help));
  if (what == "count") return described(Column::integer(word, header, unit, help).grouped());
  if (what == "real") {
    return described(Column::real(word, header, unit, help, digit(size)).grouped());
  }
  if (what == "time") return described(Column::time(word, header, help, Column::Type::kReal));
  if (what == "instant") return described(Column::instant(word, header, help));
  if (what == "label") {
    return described(Column::text(word, header, help).placed(Column::Place::kLabel));
  }
  const auto least = tools::parse_number<std::uint8_t>(size).value_or(8);
  const Column column = Column::text(word, header, help).cut_end(least);
  return described(what == "tensors" ? column.styled(Column::Style::kTensors) : column);
}

/// The words that a column has, with their meanings.
ColumnWords words_of(std::string_view column) {
  ColumnWords words{.column = column, .words = {}};
  for (const IdleCauseText& cause : idle_cause_texts()) {
    words.words.push_back({cause.word, cause.meaning});
  }
  return words;
}

ReportInfo sql_report_info(std::string_view name, std::string_view file) {
  ReportInfo info{.name = name, .help = {}, .rows = "SQL"};
  std::string_view table, keys, of_ranks;
  bool csv_has_headers = false;
  std::string statement;
  while (!file.empty()) {
    std::string_view line = take(file, '\n');
    if (!line.starts_with("--")) {
      statement.append(line).append("\n");
      continue;
    }
    line.remove_prefix(2);
    const std::string_view key = line.find(':') < line.size() ? take(line, ':') : "";
    if (key == "title") info.title = tools::trimmed(line);
    if (key == "missing") info.missing = tools::trimmed(line);
    if (key == "help") info.help = tools::trimmed(line);
    if (key == "table") table = tools::trimmed(line);
    if (key == "gpus") info.has_each_gpu = tools::trimmed(line) == "each";
    if (key == "ranks") of_ranks = tools::trimmed(line);
    if (key == "keys") keys = tools::trimmed(line);
    if (key == "causes") info.words = words_of(tools::trimmed(line));
    if (key == "csv") csv_has_headers = tools::trimmed(line) == "headers";
    if (key != "column") continue;
    const auto& [column, is_asked] = column_of(line);
    if (!is_asked) info.machine.push_back(info.columns.size());
    info.columns.push_back(column);
  }
  TablesRead tables = facts_of_tables(statement);
  info.row_words = std::move(tables.words);
  info.has_steps = tables.has_steps;
  info.has_ranges = tables.has_ranges;
  info.reads_work = tables.reads_work;
  info.reads_timeline = tables.reads_timeline;
  for (std::size_t i = 0; i < info.columns.size(); ++i) {
    if (csv_has_headers) info.columns[i].csv = info.columns[i].header;
    const std::string_view word = info.columns[i].word;
    if (word == "trace" || word == "rank") info.of_several.push_back(i);
  }
  info.has_whole_ranges = csv_has_headers;
  info.listed = info.columns.size();
  if (!keys.empty()) {
    auto chosen = choose_columns(info, keys);
    if (chosen) info.keys = *std::move(chosen);
  }
  if (!of_ranks.empty()) {
    auto chosen = choose_columns(info, of_ranks);
    if (chosen) info.of_ranks = *std::move(chosen);
  }
  if (table.empty()) {
    const auto& first = info.of_several;
    std::ranges::copy_if(info.machine, std::back_inserter(info.table),
                         [&](std::size_t i) { return !std::ranges::count(first, i); });
    return info;
  }
  auto chosen = choose_columns(info, table);
  if (chosen) info.table = *std::move(chosen);
  return info;
}

}  // namespace

SqlReport::SqlReport(std::string_view name, std::string file)
    : SqlText{std::move(file)}, Report(sql_report_info(name, text)) {}

std::string SqlReport::sql(std::span<const std::size_t> asked) const {
  constexpr std::string_view kBegin = "asked(";
  std::string made;
  std::string_view rest = text;
  for (std::size_t at = rest.find(kBegin); at < rest.size(); at = rest.find(kBegin)) {
    made.append(rest.substr(0, at));
    rest.remove_prefix(at + kBegin.size());
    const std::string_view word = take(rest, ')');
    const bool is_asked = std::ranges::any_of(
        asked, [&](std::size_t index) { return info().columns[index].word == word; });
    made.append("(").append(is_asked ? word : "NULL").append(")");
  }
  return made.append(rest);
}

Status SqlReport::run(const RowInput& input, const Request& request, RowSink& sink) const {
  const std::span<const std::size_t> chosen = request.columns;
  const Result<std::unique_ptr<Query>> opened = Query::open(input, sql(chosen));
  if (!opened) return opened.error();
  Query& query = **opened;
  std::vector<Cell> cells(chosen.size());
  while (query.next()) {
    for (std::size_t i = 0; i < chosen.size(); ++i) cells[i] = query.cell(chosen[i]);
    if (!sink.row(cells)) return {};
  }
  return query.status();
}

}  // namespace prof::reports
