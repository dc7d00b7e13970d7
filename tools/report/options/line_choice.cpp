// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "tools/report/options/option_values.hpp"

namespace prof::reports {
namespace {

using Columns = std::vector<std::size_t>;  // indices into those of a report

bool contains(const Columns& columns, std::size_t column) {
  return std::ranges::find(columns, column) != columns.end();
}

/// The keys of --by come first. Of -c, other keys would make other groups.
Status group_by(const OptionWords& words, const Registry& registry, Form form,
                ReportRequest& request) {
  const ReportInfo& info = request.report->info();
  if (info.keys.empty()) {
    return Error{.what = fmt::format("report '{}' is not a roll-up", info.name),
                 .where = "--by",
                 .hint = "roll-ups are " + list_of(rollup_names(registry))};
  }
  const auto keys = choose_columns(info, words.value("--by"), "--by");
  if (!keys) return keys.error();
  for (const std::size_t key : *keys) {
    if (contains(info.keys, key)) continue;
    return Error{.what = fmt::format("'{}' is computed for groups, which cannot be grouped by it",
                                     info.columns[key].word),
                 .where = "--by",
                 .hint = ""};
  }
  if (!words.has("--columns")) {
    request.columns = columns_by(info, form, *keys);
    return {};
  }
  Columns columns;
  std::ranges::copy_if(*keys, std::back_inserter(columns),
                       [&request](std::size_t key) { return !contains(request.columns, key); });
  for (const std::size_t column : request.columns) {
    if (contains(info.keys, column) && !contains(*keys, column)) {
      const std::string_view word = info.columns[column].word;
      return Error{.what = fmt::format("'{}' differs within the groups of --by", word),
                   .where = "-c",
                   .hint = fmt::format("group by it: --by {},{}", words.value("--by"), word)};
    }
    columns.push_back(column);
  }
  request.columns = std::move(columns);
  return {};
}

/// The number of copies belongs to what --kind asks for: after that of kernels.
void add_copies(ReportRequest& request) {
  const std::vector<Column>& all = request.report->info().columns;
  const auto index_of = [&all](std::string_view word) {
    return static_cast<std::size_t>(std::ranges::find(all, word, &Column::word) - all.begin());
  };
  const std::size_t copies = index_of("copies");
  const auto kernels = std::ranges::find(request.columns, index_of("kernels"));
  if (copies == all.size() || contains(request.columns, copies)) return;
  if (kernels != request.columns.end()) request.columns.insert(kernels + 1, copies);
}

Status choose_columns_of(const OptionWords& words, const Registry& registry, const Options& options,
                         ReportRequest& request) {
  const ReportInfo& info = request.report->info();
  const Form form = options.form->form;
  request.columns = info.shown(form, options.traces.size() > 1);
  if (words.has("--columns")) {
    if (options.reports.size() > 1) return clash("--columns", "several reports");
    auto chosen = choose_columns(info, words.value("--columns"));
    if (!chosen) return chosen.error();
    request.columns = *std::move(chosen);
  }
  if (words.has("--by")) PROF_TRY(group_by(words, registry, form, request));
  if (options.filter.with_copies && !words.has("--columns")) add_copies(request);
  return {};
}

Status choose_order(const OptionWords& words, const ReportInfo& info, LineOptions& lines) {
  const std::string& sort = words.value("--sort");
  const std::size_t colon = sort.find(':');
  const std::string order = colon == std::string::npos ? "desc" : sort.substr(colon + 1);
  if (order != "asc" && order != "desc") {
    return Error{.what = "unknown order '" + order + "'",
                 .where = "--sort",
                 .hint = "orders are asc and desc"};
  }
  const auto column = choose_columns(info, sort.substr(0, colon), "--sort");
  if (!column) return column.error();
  if (column->size() != 1) {
    return Error{.what = "takes one column", .where = "--sort", .hint = ""};
  }
  lines.sort = column->front();
  lines.ascending = order == "asc";
  return {};
}

/// A key that is not shown would make other groups.
Status check_keys(const OptionWords& words, const ReportRequest& request) {
  const ReportInfo& info = request.report->info();
  const LineOptions& lines = request.lines;
  Columns named;
  if (lines.sort) named.push_back(*lines.sort);
  for (const std::string& condition : words.values("--where")) {
    std::ranges::copy(columns_in(condition, info.columns), std::back_inserter(named));
  }
  for (const std::size_t index : named) {
    if (!contains(info.keys, index) || contains(request.columns, index)) continue;
    const std::string_view word = info.columns[index].word;
    return Error{.what = fmt::format("the lines of '{}' have no '{}'", info.name, word),
                 .where = lines.sort == index ? "--sort" : "--where",
                 .hint = fmt::format("group by it: --by ..., {}", word)};
  }
  return {};
}

Status choose_lines_of(const OptionWords& words, ReportRequest& request) {
  const ReportInfo& info = request.report->info();
  LineOptions& lines = request.lines;
  lines.where = words.values("--where");
  if (!lines.where.empty()) {
    if (const auto where = Where::make(lines.where, info.columns); !where) return where.error();
  }
  if (words.has("--sort")) PROF_TRY(choose_order(words, info, lines));
  if (words.has("--top")) {
    const auto top = parse_count(words.value("--top"), "--top", "a number of lines", "give 10");
    if (!top) return top.error();
    lines.top = *top;
  }
  return check_keys(words, request);
}

}  // namespace

Status choose_layers(const OptionWords& words, Options& options) {
  const bool for_people = is_for_people(options.form->form);
  options.layers.fold_numbers = for_people && !words.has("--flat");
  if (!words.has("--depth")) return {};
  const auto depth = parse_count(words.value("--depth"), "--depth", "a number of levels", "give 2");
  if (!depth) return depth.error();
  options.layers.depth = *depth;
  if (!for_people) return clash("--depth", flag_of(*options.form), "only tables show trees");
  return {};
}

Status choose_report_columns(const OptionWords& words, const Registry& registry, Options& options) {
  options.columns_chosen = words.has("--columns");
  for (ReportRequest& request : options.reports) {
    PROF_TRY(choose_columns_of(words, registry, options, request));
  }
  return {};
}

Status choose_report_lines(const OptionWords& words, Options& options) {
  for (ReportRequest& request : options.reports) PROF_TRY(choose_lines_of(words, request));
  return {};
}

}  // namespace prof::reports
