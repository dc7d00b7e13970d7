// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A report with one line per row of a row kind, in streaming order. Keeps nothing.
#include <vector>

#include "tools/report/builtin/row_report.hpp"

namespace prof::reports {
namespace {

class ListReport : public Report {
 public:
  explicit ListReport(const RowReport& of) : Report(list_info(of)), kind_(of.kind) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    std::vector<Cell (*)(Row&)> values;
    for (const std::size_t index : request.columns) values.push_back(kind_.fields[index].value);
    std::vector<Cell> cells(values.size());
    const std::unique_ptr<RowStream> rows = kind_.open(input);
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

}  // namespace

std::unique_ptr<const Report> make_list(const RowReport& of) {
  return std::make_unique<ListReport>(of);
}

}  // namespace prof::reports
