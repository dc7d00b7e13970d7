// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/choices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/common/words.hpp"
#include "tools/report/options/option_values.hpp"

namespace prof::reports {
namespace {

Status choose_kinds(ColumnFilter& column, RowFilter& filter) {
  std::vector<std::string> kinds;
  for (const std::string& words : column.patterns) {
    for (const std::string& word : tools::split_list(words)) {
      const bool is_known = std::ranges::find(work_kinds(), word) != work_kinds().end();
      if (!is_known) return unknown("kind", word, "--kind", work_kinds());
      filter.with_copies |= word != work_kinds().front();
      kinds.push_back(word);
    }
  }
  column.patterns = std::move(kinds);
  return {};
}

/// An error for the first report to which the option does not apply.
Status check_all(const Registry& registry, const Options& options, const OptionRow& row) {
  for (const ReportRequest& request : options.reports) {
    const ReportInfo& info = request.report->info();
    if (row.applies(info)) continue;
    std::vector<std::string_view> others;
    for (const auto& report : registry.all()) {
      if (row.applies(report->info())) others.push_back(report->info().name);
    }
    return Error{.what = fmt::format("report '{}' has no {}", info.name, row.needs),
                 .where = std::string(row.flag()),
                 .hint = "reports that have: " + list_of(others)};
  }
  return {};
}

}  // namespace

Status choose_rows(const OptionWords& words, Options& options) {
  RowFilter& filter = options.filter;
  if (words.has("--step")) {
    Result<StepFilter> steps = parse_steps(words.values("--step"));
    if (!steps) return steps.error();
    filter.step = *steps;
  }
  if (words.has("--capture")) {
    Result<StepFilter> captures = parse_captures(words.values("--capture"));
    if (!captures) return captures.error();
    filter.captures = *captures;
  }
  for (const FilterOption& option : filter_options()) {
    const std::vector<std::string>& patterns = words.values(option.flag);
    if (patterns.empty()) continue;
    ColumnFilter column{&option, patterns};
    if (option.flag == "--kind") PROF_TRY(choose_kinds(column, filter));
    filter.columns.push_back(std::move(column));
  }
  filter.ranges = words.values("--range");
  filter.range_options = options.range_options;
  return {};
}

Status check_rows(const OptionWords& words, const Registry& registry, const Options& options) {
  for (const OptionRow& row : words.rows()) {
    if (!row.applies || !words.has(row.flag())) continue;
    PROF_TRY(check_all(registry, options, row));
  }
  return {};
}

}  // namespace prof::reports
