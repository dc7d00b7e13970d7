// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

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

bool has_any(const ReportInfo& info, std::span<const std::string_view> words) {
  return std::ranges::find_first_of(info.row_words, words) != info.row_words.end();
}
bool has_captures(const ReportInfo& info) {
  return std::ranges::find(info.row_words, "capture") != info.row_words.end();
}
/// It shows ranges, or the ranges around its rows.
bool has_range_texts(const ReportInfo& info) {
  const bool shows = std::ranges::find(info.columns, "range", &Column::word) != info.columns.end();
  return info.has_ranges &&
         (shows || std::ranges::find(info.row_words, "name") != info.row_words.end());
}

/// An option, and what a report has to which it applies.
struct Need {
  std::string_view flag;
  std::string_view what;
  bool (*applies)(const ReportInfo& info);
};
constexpr std::array<Need, 7> kNeeds = {{
    {"--depth", "lines of layers", [](const ReportInfo& info) { return info.has_layers; }},
    {"--flat", "lines of layers", [](const ReportInfo& info) { return info.has_layers; }},
    {"--step", "steps", [](const ReportInfo& info) { return info.has_steps; }},
    {"--capture", "captures", has_captures},
    {"--range", "ranges around its rows", [](const ReportInfo& info) { return info.has_ranges; }},
    {"--short-ranges", "texts of ranges", has_range_texts},
    {"--whole-ranges", "texts of ranges", has_range_texts},
}};

/// An error for the first report to which the option does not apply.
Status check_all(const Registry& registry, const Options& options, std::string_view flag,
                 std::string_view what, const std::function<bool(const ReportInfo&)>& applies) {
  for (const ReportRequest& request : options.reports) {
    const ReportInfo& info = request.report->info();
    if (applies(info)) continue;
    std::vector<std::string_view> others;
    for (const auto& report : registry.all()) {
      if (applies(report->info())) others.push_back(report->info().name);
    }
    return Error{.what = fmt::format("report '{}' has no {}", info.name, what),
                 .where = std::string(flag),
                 .hint = "reports that have: " + list_of(others)};
  }
  return {};
}

}  // namespace

Status choose_rows(const OptionWords& words, Options& options) {
  RowFilter& filter = options.filter;
  if (words.has("--step")) {
    Result<StepFilter> steps = parse_steps(words.steps);
    if (!steps) return steps.error();
    filter.step = *steps;
  }
  if (words.has("--capture")) {
    Result<StepFilter> captures = parse_captures(words.captures);
    if (!captures) return captures.error();
    filter.captures = *captures;
  }
  for (const FilterOption& option : filter_options()) {
    const std::vector<std::string>& patterns = words.filters.at(option.flag);
    if (patterns.empty()) continue;
    ColumnFilter column{&option, patterns};
    if (option.flag == "--kind") PROF_TRY(choose_kinds(column, filter));
    filter.columns.push_back(std::move(column));
  }
  filter.ranges = words.ranges;
  filter.range_options = words.range_options;
  return {};
}

Status check_rows(const OptionWords& words, const Registry& registry, const Options& options) {
  for (const Need& need : kNeeds) {
    if (!words.has(need.flag)) continue;
    PROF_TRY(check_all(registry, options, need.flag, need.what, need.applies));
  }
  for (const ColumnFilter& by : options.filter.columns) {
    const auto column = fmt::format("column '{}'", by.option->columns.front());
    PROF_TRY(check_all(registry, options, by.option->flag, column, [&by](const ReportInfo& info) {
      return has_any(info, by.option->columns);
    }));
  }
  return {};
}

}  // namespace prof::reports
