// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A SELECT as rows of cells, see query.hpp.
#include "tools/report/query/query.hpp"

#include <algorithm>

#include "tools/report/query/row_tables.hpp"
#include "tools/report/query/sql_functions.hpp"
#include "tools/report/query/unknown_name.hpp"
#include "tools/report/rows/read_progress.hpp"

namespace prof::reports {
namespace {

void append_hex(std::string_view bytes, std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

}  // namespace

Result<std::unique_ptr<Query>> Query::open(const RowInput& input, std::string_view sql) {
  std::unique_ptr<Query> query(new Query);
  if (input.traces.size() == 1) {
    Result<SqliteDb*> db = input.traces.members()[0].reader.for_queries();
    if (!db) return db.error();
    query->db_ = *db;
  }
  if (query->db_ == nullptr) {
    Result<SqliteDb> own = SqliteDb::open_for_queries();
    if (!own) return own.error();
    query->db_ = &query->own_.emplace(std::move(*own));
  }
  for (auto& table : row_tables(input)) {
    query->tables_.emplace_back(table->name());
    PROF_TRY(query->db_->add_table(std::move(table)));
  }
  for (const SqlAggregateFunction& function : aggregates()) {
    PROF_TRY(query->db_->add_aggregate(function));
  }
  for (const SqlFunction& function : sql_functions()) {
    PROF_TRY(query->db_->add_function(function));
  }
  if (ReadProgress* const progress = input.reading.progress()) {
    query->db_->on_tick([progress] { progress->tick(); });
  }
  Result<Statement> statement = query->db_->prepare_query(sql);
  if (!statement) return with_nearest(statement.error(), sql, *query->db_);
  if (const auto parameter = statement->first_parameter()) {
    return Error{"parameters have no value: " + *parameter, "SQL", "write the value itself"};
  }
  query->statement_ = std::move(*statement);
  const int count = query->statement_.column_count();
  for (int i = 0; i < count; ++i) query->columns_.push_back(query->statement_.column_name(i));
  query->hex_.resize(query->columns_.size());
  return query;
}

Query::~Query() {
  statement_ = {};
  if (db_ == nullptr) return;
  // The connection may outlive what the tables read from, and who watches.
  db_->on_tick({});
  for (const std::string& table : tables_) db_->remove_table(table);
}

bool Query::next() {
  if (!status_) return false;
  const Statement::Step step = statement_.step();
  if (step == Statement::Step::kRow) return true;
  if (step != Statement::Step::kDone) status_ = db_->error("the SQL failed");
  return false;
}

Cell Query::cell(std::size_t column) {
  const int at = static_cast<int>(column);
  switch (statement_.type(at)) {
    case Statement::Type::kNull:
      return absent();
    case Statement::Type::kInteger:
      return signed_number(statement_.integer(at));
    case Statement::Type::kReal:
      return real(statement_.real(at));
    case Statement::Type::kText:
      return Cell{std::in_place_type<std::string_view>, statement_.text(at)};
    case Statement::Type::kBlob:
      hex_[column].clear();
      append_hex(statement_.blob(at), hex_[column]);
      return Cell{std::in_place_type<std::string_view>, hex_[column]};
  }
  return absent();
}

Status print_query(const RowInput& input, std::string_view sql, Form form, Renderer& renderer) {
  const Result<std::unique_ptr<Query>> opened = Query::open(input, sql);
  if (!opened) return opened.error();
  Query& query = **opened;
  const std::vector<std::string>& names = query.columns();
  for (std::size_t i = 0; i < names.size() && has_keys(form); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      return Error{"column '" + names[i] + "' occurs twice, which a JSON object cannot hold", "SQL",
                   "rename one with AS"};
    }
  }
  // The first row determines which columns are numbers.
  bool has_row = query.next();
  if (!query.status()) return query.status();
  std::vector<Column> columns;
  std::vector<Cell> cells(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    Column column = Column::text(names[i], names[i], "");
    if (has_row) cells[i] = query.cell(i);
    if (is_number(cells[i])) column.align = Column::Align::kRight;
    column.decimals = Column::kAllDecimals;
    columns.push_back(column);
  }
  renderer.begin(columns);
  while (has_row) {
    if (!renderer.row(cells)) return {};
    has_row = query.next();
    for (std::size_t i = 0; has_row && i < cells.size(); ++i) cells[i] = query.cell(i);
  }
  renderer.end(query.status().ok());
  return query.status();
}

}  // namespace prof::reports
