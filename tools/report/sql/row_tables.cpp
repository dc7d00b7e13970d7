// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Row kinds as tables, see row_tables.hpp. A new row kind is one word in row_tables().
#include "tools/report/sql/row_tables.hpp"

#include <cctype>

#include "tools/report/rows/allocations.hpp"
#include "tools/report/rows/api_calls.hpp"
#include "tools/report/rows/captured_parts.hpp"
#include "tools/report/rows/collective_times.hpp"
#include "tools/report/rows/device_states.hpp"
#include "tools/report/rows/device_time_sums.hpp"
#include "tools/report/rows/device_times.hpp"
#include "tools/report/rows/gpu_work_fields.hpp"
#include "tools/report/rows/marks.hpp"
#include "tools/report/rows/os_calls.hpp"
#include "tools/report/rows/overheads.hpp"
#include "tools/report/rows/range_nesting.hpp"
#include "tools/report/rows/range_work.hpp"
#include "tools/report/rows/ranges.hpp"
#include "tools/report/rows/step_times.hpp"
#include "tools/report/rows/synchronizations.hpp"
#include "tools/report/sql/cell_to_sql.hpp"

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

template <typename Kind>
class RowTable : public VirtualTable {
 public:
  explicit RowTable(const RowInput& input) : input_(input) {
    for (const auto& field : Kind::kFields) {
      columns_.push_back(
          {field.column.word, type_of(field.column), field.role == Role::kOnRequest});
    }
  }

  [[nodiscard]] std::string_view name() const override { return Kind::kNames.table; }
  [[nodiscard]] std::span<const VirtualColumn> columns() const override { return columns_; }
  [[nodiscard]] std::unique_ptr<VirtualRows> open() const override {
    return std::make_unique<Rows>(input_);
  }

 private:
  static VirtualColumn::Type type_of(const Column& column) {
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

  class Rows : public VirtualRows {
   public:
    explicit Rows(const RowInput& input)
        : whole_(input.tally),
          cursor_(RowInput{input.traces, input.attribute, input.choice, tally_, input.progress}) {}
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    ~Rows() override {
      whole_.choice.merge(tally_.choice);
      whole_.remarks.insert(whole_.remarks.end(), tally_.remarks.begin(), tally_.remarks.end());
    }
    bool next() override { return (row_ = cursor_.next()) != nullptr; }
    [[nodiscard]] Status status() const override { return cursor_.status(); }
    void value(std::size_t column, SqlValue& to) override {
      const Cell cell = Kind::kFields[column].value(*row_);
      const ToValue value{to};
      to_sql(cell, value);
    }

   private:
    Tally& whole_;
    Tally tally_;
    typename Kind::Cursor cursor_;
    typename Kind::Row* row_ = nullptr;
  };

  RowInput input_;
  std::vector<VirtualColumn> columns_;
};

bool names(std::string_view sql, std::string_view table) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = sql.find(table); at < sql.size(); at = sql.find(table, at + 1)) {
    const std::size_t end = at + table.size();
    const bool begins = at == 0 || !is_word(sql[at - 1]);
    if (begins && (end == sql.size() || !is_word(sql[end]))) return true;
  }
  return false;
}

/// Options choose rows before they are summed up.
template <typename Kind>
constexpr auto fields_to_choose_by() {
  if constexpr (requires { typename Kind::Summed; }) {
    return Kind::Summed::kFields;
  } else {
    return Kind::kFields;
  }
}

template <typename Kind>
void add_facts(std::string_view sql, TableFacts& facts) {
  if (!names(sql, Kind::kNames.table)) return;
  for (const auto& field : fields_to_choose_by<Kind>()) facts.words.push_back(field.column.word);
  facts.has_steps |= Kind::kHasSteps;
  facts.has_ranges |= HasStack<typename Kind::Row>;
}

/// Every row kind that is a table.
template <typename... Kinds>
struct Tables {
  static std::vector<std::shared_ptr<const VirtualTable>> over(const RowInput& input) {
    return {std::make_shared<RowTable<Kinds>>(input)...};
  }
  static TableFacts facts(std::string_view sql) {
    TableFacts facts;
    (add_facts<Kinds>(sql, facts), ...);
    return facts;
  }
};
using AllTables =
    Tables<Kernels, GpuWork, ApiCalls, Ranges, Marks, Synchronizations, Overheads, DeviceStates,
           Allocations, OsCalls, CapturedParts, DeviceTimes, DeviceTimeSums, StepTimes, Collectives,
           NestedRanges, ProjectedRanges, RangeWork>;

}  // namespace

std::vector<std::shared_ptr<const VirtualTable>> row_tables(const RowInput& input) {
  return AllTables::over(input);
}

TableFacts facts_of_tables(std::string_view sql) { return AllTables::facts(sql); }

}  // namespace prof::reports
