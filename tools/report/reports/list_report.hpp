// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A report with one line per row of a row kind, in streaming order. Keeps nothing.
#pragma once

#include <string_view>
#include <vector>

#include "tools/report/choose/row_chooser.hpp"
#include "tools/report/report.hpp"
#include "tools/report/rows/field.hpp"

namespace prof::reports {

template <typename Kind>
class ListReport : public Report {
 public:
  struct Traits {
    std::string_view name, help;
    RowColumns<Kind> table;
    bool tells_steps = false;
  };

  explicit ListReport(const Traits& traits) : Report(info_of(traits)) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    const std::span<const std::size_t> chosen = request.columns;
    typename Kind::Cursor cursor(input);
    std::vector<Cell> cells(chosen.size());
    while (typename Kind::Row* row = cursor.next()) {
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        cells[i] = Kind::kFields[chosen[i]].value(*row);
      }
      if (!sink.row(cells)) return {};
    }
    return cursor.status();
  }

 private:
  static ReportInfo info_of(const Traits& traits) {
    constexpr RowColumns<Kind> kOfSeveral = {"trace", "rank"};
    const auto table = traits.table.indices();
    const auto of_several = kOfSeveral.indices();
    ReportInfo info{.name = traits.name,
                    .help = traits.help,
                    .rows = Kind::kNames.many,
                    .has_steps = Kind::kHasSteps,
                    .tells_steps = traits.tells_steps,
                    .has_ranges = HasStack<typename Kind::Row>,
                    .columns = {},
                    .table = {table.begin(), table.end()},
                    .machine = {},
                    .of_several = {of_several.begin(), of_several.end()}};
    for (const auto& field : Kind::kFields) {
      if (is_for_programs(field.role)) info.machine.push_back(info.columns.size());
      info.columns.push_back(field.column);
      info.row_words.push_back(field.column.word);
    }
    info.listed = info.columns.size();
    return info;
  }
};

}  // namespace prof::reports
