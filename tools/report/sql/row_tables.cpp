// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Row kinds as tables, see row_tables.hpp. A new row kind is one word in row_tables().
#include "tools/report/sql/row_tables.hpp"

#include "tools/report/render/value_text.hpp"
#include "tools/report/rows/api_calls.hpp"
#include "tools/report/rows/device_states.hpp"
#include "tools/report/rows/gpu_work_fields.hpp"
#include "tools/report/rows/marks.hpp"
#include "tools/report/rows/overheads.hpp"
#include "tools/report/rows/range_nesting.hpp"
#include "tools/report/rows/range_work.hpp"
#include "tools/report/rows/ranges.hpp"
#include "tools/report/rows/synchronizations.hpp"

namespace prof::reports {
namespace {

struct ToSql {
  SqlValue& to;
  const Cell& cell;

  void operator()(std::monostate) const {}
  void operator()(bool value) const { to.integer(value ? 1 : 0); }
  void operator()(std::int64_t value) const { to.integer(value); }
  void operator()(std::uint64_t value) const { to.integer(static_cast<std::int64_t>(value)); }
  void operator()(Decimal value) const {
    double unit = 1;
    for (int i = 0; i < value.decimals; ++i) unit *= 10;
    to.real(static_cast<double>(value.scaled) / unit);
  }
  void operator()(double value) const { to.real(value); }
  void operator()(AtLeast sum) const { to.real(sum.value); }
  void operator()(std::string_view value) const { to.text(value); }
  template <typename List>
  void operator()(const List&) const {
    fmt::memory_buffer json;
    append_json(cell, json);
    to.text({json.data(), json.size()});
  }
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
          cursor_(RowInput{input.traces, input.attribute, input.choice, tally_}) {}
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    ~Rows() override { whole_.choice.merge(tally_.choice); }
    bool next() override { return (row_ = cursor_.next()) != nullptr; }
    [[nodiscard]] Status status() const override { return cursor_.status(); }
    void value(std::size_t column, SqlValue& to) override {
      const Cell cell = Kind::kFields[column].value(*row_);
      std::visit(ToSql{to, cell}, cell);
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

template <typename... Kinds>
std::vector<std::shared_ptr<const VirtualTable>> tables_of(const RowInput& input) {
  return {std::make_shared<RowTable<Kinds>>(input)...};
}

}  // namespace

std::vector<std::shared_ptr<const VirtualTable>> row_tables(const RowInput& input) {
  return tables_of<Kernels, GpuWork, ApiCalls, Ranges, Marks, Synchronizations, Overheads,
                   DeviceStates, NestedRanges, ProjectedRanges, RangeWork>(input);
}

}  // namespace prof::reports
