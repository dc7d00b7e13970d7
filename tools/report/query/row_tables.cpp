// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Row kinds as tables, see row_tables.hpp.
#include "tools/report/query/row_tables.hpp"

#include "libprof/base/ascii.hpp"
#include "tools/report/rows/own_tally.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/table/cell_to_sql.hpp"

namespace prof::reports {
namespace {

struct ToValue {
  SqlValue& value;

  void null() const {}
  void integer(std::int64_t number) const { value.integer(number); }
  void real(double number) const { value.real(number); }
  void text(std::string_view text) const { value.text(text); }
  void json(std::string_view text) const { value.text(text); }
};

VirtualColumn::Type type_of(const Column& column) {
  switch (column.type) {
    case Column::Type::kText:
      return VirtualColumn::Type::kText;
    case Column::Type::kInteger:
      return VirtualColumn::Type::kInteger;
    case Column::Type::kReal:
      return VirtualColumn::Type::kReal;
  }
  return VirtualColumn::Type::kText;
}

class ScanOfRows : public VirtualRows {
 public:
  ScanOfRows(const RowKind& kind, const RowInput& input)
      : fields_(kind.fields), tally_(input), rows_(kind.open(tally_.input())) {}
  bool next() override { return (row_ = rows_->next()) != nullptr; }
  [[nodiscard]] Status status() const override { return rows_->status(); }
  void value(std::size_t column, SqlValue& to) override {
    const Cell cell = fields_[column].value(*row_);
    const ToValue value{to};
    to_sql(cell, value);
  }

 private:
  std::span<const Field> fields_;
  OwnTally tally_;
  std::unique_ptr<RowCursor<Row>> rows_;
  Row* row_ = nullptr;
};

class RowTable : public VirtualTable {
 public:
  RowTable(const RowKind& kind, const RowInput& input) : kind_(kind), input_(input) {
    for (const Field& field : kind.fields) {
      columns_.push_back(
          {field.column.word, type_of(field.column), field.role == Role::kOnRequest});
    }
  }

  [[nodiscard]] std::string_view name() const override { return kind_.names.table; }
  [[nodiscard]] std::span<const VirtualColumn> columns() const override { return columns_; }
  [[nodiscard]] std::unique_ptr<VirtualRows> open() const override {
    return std::make_unique<ScanOfRows>(kind_, input_);
  }

 private:
  const RowKind& kind_;
  RowInput input_;
  std::vector<VirtualColumn> columns_;
};

}  // namespace

bool names_table(std::string_view sql, std::string_view table) {
  for (std::size_t at = sql.find(table); at < sql.size(); at = sql.find(table, at + 1)) {
    const std::size_t end = at + table.size();
    const bool begins = at == 0 || !is_word(sql[at - 1]);
    if (begins && (end == sql.size() || !is_word(sql[end]))) return true;
  }
  return false;
}

std::vector<std::shared_ptr<const VirtualTable>> row_tables(const RowInput& input) {
  std::vector<std::shared_ptr<const VirtualTable>> tables;
  for (const RowKind* kind : row_kinds()) {
    tables.push_back(std::make_shared<RowTable>(*kind, input));
  }
  return tables;
}

TablesRead facts_of_tables(std::string_view sql) {
  TablesRead facts;
  for (const RowKind* kind : row_kinds()) {
    if (!names_table(sql, kind->names.table)) continue;
    // Options choose rows before they are summed up.
    const RowKind& chosen = kind->summed != nullptr ? *kind->summed : *kind;
    for (const Field& field : chosen.fields) facts.words.push_back(field.column.word);
    facts.has_steps |= kind->has_steps();
    facts.has_ranges |= kind->has_ranges();
    facts.reads_work += kind->reads_work;
    facts.reads_timeline |= kind->reads_timeline;
  }
  return facts;
}

}  // namespace prof::reports
