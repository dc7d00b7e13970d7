// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/builtin/row_report.hpp"

#include <cstdio>

#include "libprof/base/check.hpp"

namespace prof::reports {

std::unique_ptr<const Report> make_report(const RowReport& of) {
  return of.form == RowForm::kList ? make_list(of) : make_rollup(of);
}

ReportInfo info_without_columns(const RowReport& of) {
  ReportInfo info{.name = of.name,
                  .help = of.help,
                  .rows = of.kind.names.many,
                  .has_steps = of.kind.has_steps(),
                  .has_step_lines = of.has_step_lines,
                  .has_ranges = of.kind.has_ranges(),
                  .columns = {},
                  .table = {},
                  .machine = {},
                  .of_several = {}};
  for (const Field& field : of.kind.fields) info.row_words.push_back(field.column.word);
  return info;
}

std::vector<std::size_t> own_columns(const ReportInfo& info, std::string_view words) {
  Result<std::vector<std::size_t>> columns = choose_columns(info, words, info.name);
  if (!columns) std::fprintf(stderr, "%s\n", columns.error().to_line().c_str());
  PROF_CHECK(columns.ok());
  return *std::move(columns);
}

}  // namespace prof::reports
