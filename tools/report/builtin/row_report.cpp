// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists and roll-ups, see row_report.hpp.
#include "tools/report/builtin/row_report.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "libprof/base/check.hpp"
#include "tools/report/builtin/rollup.hpp"
#include "tools/report/rows/own_tally.hpp"

namespace prof::reports {
namespace {

ReportInfo info_without_columns(const RowReport& of) {
  ReportInfo info{.name = of.name,
                  .help = of.help,
                  .missing = of.missing.empty() ? of.kind.names.missing : of.missing,
                  .rows = of.kind.names.many,
                  .has_steps = of.kind.has_steps(),
                  .has_step_lines = of.has_step_lines,
                  .has_ranges = of.kind.has_ranges(),
                  .reads_work = of.kind.reads_work,
                  .reads_timeline = of.kind.reads_timeline};
  // Options choose rows before they are summed up.
  const RowKind& chosen = of.kind.summed != nullptr ? *of.kind.summed : of.kind;
  for (const Field& field : chosen.fields) info.row_words.push_back(field.column.word);
  return info;
}

/// Indices of the report's own words, all of which must be columns.
std::vector<std::size_t> own_columns(const ReportInfo& info, std::string_view words) {
  Result<std::vector<std::size_t>> columns = choose_columns(info, words, info.name);
  if (!columns) std::fprintf(stderr, "%s\n", columns.error().to_line().c_str());
  PROF_CHECK(columns.ok());
  return *std::move(columns);
}

Status roll_up(const RowKind& kind, const SumKind& sums, std::vector<RollupColumn> chosen,
               const RowInput& input, const Request& request, RowSink& sink) {
  Rollup rollup(kind, sums, std::move(chosen), request);
  const std::unique_ptr<RowCursor<Row>> rows = kind.open(input);
  while (Row* const row = rows->next()) {
    if (!rollup.add(*row)) break;
  }
  PROF_TRY(rows->status());
  return rollup.write(input.tally, sink);
}

/// One line per row, in streaming order. Keeps nothing.
class ListReport : public Report {
 public:
  explicit ListReport(const RowReport& of) : Report(list_info(of)), kind_(of.kind) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    std::vector<Cell (*)(Row&)> values;
    for (const std::size_t index : request.columns) values.push_back(kind_.fields[index].value);
    std::vector<Cell> cells(values.size());
    const std::unique_ptr<RowCursor<Row>> rows = kind_.open(input);
    while (Row* const row = rows->next()) {
      for (std::size_t i = 0; i < values.size(); ++i) cells[i] = values[i](*row);
      if (!sink.row(cells)) return {};
    }
    return rows->status();
  }

 private:
  static ReportInfo list_info(const RowReport& of) {
    ReportInfo info = info_without_columns(of);
    for (const Field& field : of.kind.fields) {
      if (is_for_programs(field.role)) info.machine.push_back(info.columns.size());
      info.columns.push_back(field.column);
    }
    info.listed = info.columns.size();
    info.table = own_columns(info, of.table);
    info.of_several = own_columns(info, "trace,rank");
    return info;
  }

  const RowKind& kind_;
};

/// One line for each distinct value of the chosen key columns, heaviest first, then a total. Other
/// key columns (--by, -c) give other groups; every column of the rows can be a key, unless a sum
/// has its name.
class RollupReport : public Report {
 public:
  explicit RollupReport(const RowReport& of) : Report(rollup_info(of)), kind_(of.kind) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    const std::vector<RollupColumn> columns = all_columns(kind_);
    std::vector<RollupColumn> chosen;
    for (const std::size_t index : request.columns) chosen.push_back(columns[index]);
    return roll_up(kind_, *kind_.sums, std::move(chosen), input, request, sink);
  }

 private:
  // The usual keys, the sums, then the other columns of the rows as keys.
  static std::vector<RollupColumn> all_columns(const RowKind& kind) {
    std::vector<RollupColumn> columns;
    for (const Field& field : kind.fields) {
      if (field.role == Role::kKey) columns.push_back({&field, nullptr});
    }
    for (const SumField& sum : kind.sums->fields) columns.push_back({nullptr, &sum});
    const auto is_sum = [&kind](const Field& field) {
      return std::ranges::any_of(kind.sums->fields, [&field](const SumField& sum) {
        return sum.column.word == field.column.word;
      });
    };
    for (const Field& field : kind.fields) {
      if (field.role != Role::kKey && !is_sum(field)) columns.push_back({&field, nullptr});
    }
    return columns;
  }

  static ReportInfo rollup_info(const RowReport& of) {
    PROF_CHECK(of.kind.sums != nullptr);
    ReportInfo info = info_without_columns(of);
    const std::vector<RollupColumn> columns = all_columns(of.kind);
    for (const RollupColumn& column : columns) {
      const std::size_t index = info.columns.size();
      const bool is_key = column.key != nullptr;
      if (is_key) info.keys.push_back(index);
      if (!is_key || column.key->role == Role::kKey) info.listed = index + 1;
      info.columns.push_back(is_key ? column.key->column : column.sum->column);
    }
    info.has_layers = of.kind.find("layer") != nullptr;
    info.table = own_columns(info, of.table);
    for (const std::size_t index : info.table) {
      if (columns[index].key != nullptr) info.machine.push_back(index);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const SumField* const sum = columns[i].sum;
      if (sum != nullptr && is_for_programs(sum->role)) info.machine.push_back(i);
    }
    return info;
  }

  const RowKind& kind_;
};

/// One line for each distinct value of the keys that the sums have, heaviest first.
class GroupReport : public Report {
 public:
  explicit GroupReport(const RowReport& of)
      : Report(group_info(of)), kind_(of.kind), sums_(*of.sums) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    std::vector<RollupColumn> chosen;
    for (const std::size_t index : request.columns) {
      const std::size_t keys = sums_.keys.size();
      chosen.push_back(index < keys ? RollupColumn{&sums_.keys[index], nullptr}
                                    : RollupColumn{nullptr, &sums_.fields[index - keys]});
    }
    const OwnTally tally(input);
    return roll_up(kind_, sums_, std::move(chosen), tally.input(), request, sink);
  }

 private:
  static ReportInfo group_info(const RowReport& of) {
    PROF_CHECK(of.sums != nullptr);
    ReportInfo info = info_without_columns(of);
    const auto add = [&info](const auto& one) {
      if (is_for_programs(one.role)) info.machine.push_back(info.columns.size());
      info.columns.push_back(one.column);
    };
    std::ranges::for_each(of.sums->keys, add);
    std::ranges::for_each(of.sums->fields, add);
    info.listed = info.columns.size();
    info.table = own_columns(info, of.table);
    info.of_several = own_columns(info, "trace,rank");
    return info;
  }

  const RowKind& kind_;
  const SumKind& sums_;
};

}  // namespace

std::unique_ptr<const Report> make_report(const RowReport& of) {
  switch (of.form) {
    case RowForm::kList:
      return std::make_unique<ListReport>(of);
    case RowForm::kRollup:
      return std::make_unique<RollupReport>(of);
    case RowForm::kGroups:
      return std::make_unique<GroupReport>(of);
  }
  return nullptr;
}

}  // namespace prof::reports
