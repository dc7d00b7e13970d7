// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One row for each piece of GPU work, see per_work_report.hpp.
#include "tools/report/reports/per_work_report.hpp"

#include "tools/report/reports/work_fields.hpp"

namespace prof::reports {

std::span<const Column> PerWorkReport::columns() const { return work_columns(); }

Status PerWorkReport::run(const ReportInput& input, std::span<const std::size_t> chosen,
                          RowSink& sink) const {
  const std::span<const WorkField> fields = work_fields();
  WorkContext context(input.trace);
  std::vector<Cell> cells(chosen.size());
  while (const Work* work = input.selection.next()) {
    context.set(*work);
    for (std::size_t i = 0; i < chosen.size(); ++i) cells[i] = fields[chosen[i]].value(context);
    if (!sink.row(cells)) return {};
  }
  return input.selection.status();
}

}  // namespace prof::reports
