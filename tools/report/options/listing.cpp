// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of --list, see listing.hpp.
#include "tools/report/options/listing.hpp"
#include "tools/report/compat/nsys_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "libprof/base/ascii.hpp"
#include "libprof/base/check.hpp"
#include "tools/common/nearest.hpp"
#include "tools/common/words.hpp"
#include "tools/report/options/option_values.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

/// What most questions need, in the order in which people ask them.
constexpr std::array<std::string_view, 10> kFirst = {"summary", "advice", "kernels",  "layers",
                                                     "ops",     "gaps",   "headroom", "stragglers",
                                                     "diff",    "losses"};

void add_line(std::string& text, std::string_view name, std::string_view help) {
  fmt::format_to(std::back_inserter(text), "  {:<22} {}\n", name, help.substr(0, help.find(';')));
}

std::string header_of(const Column& column) {
  std::string header(column.header);
  if (!column.unit.empty()) header.append("(").append(column.shown_unit()).append(")");
  return header;
}

std::string report_columns(const ReportInfo& info) {
  std::string text =
      fmt::format("{}: {}\n  rows: {}\n  table: {}\n  csv, json: {}\n", info.name, info.help,
                  info.rows, column_words(info, info.table), column_words(info, info.machine));
  fmt::format_to(std::back_inserter(text), "  {:<14} {:<13} {}\n", "word", "header", "meaning");
  for (const Column& column : std::span(info.columns).first(info.listed)) {
    fmt::format_to(std::back_inserter(text), "  {:<14} {:<13} {}\n", column.word, header_of(column),
                   column.help);
  }
  if (info.listed < info.columns.size()) {
    std::vector<std::size_t> others(info.columns.size() - info.listed);
    std::iota(others.begin(), others.end(), info.listed);
    text += fmt::format("  also as keys (--by, -c): {}\n", column_words(info, others));
  }
  if (!info.words.column.empty()) text += fmt::format("  values of {}:\n", info.words.column);
  for (const auto& [word, help] : info.words.words) {
    fmt::format_to(std::back_inserter(text), "    {:<15} {}\n", word, help);
  }
  return text;
}

std::string table_columns_of(const RowKind& kind) {
  std::string text = fmt::format("{}: {}\n  a table for --sql\n  {:<16} {:<8} {}\n",
                                 kind.names.table, kind.names.help, "word", "unit", "meaning");
  std::string by_name;
  for (const Field& field : kind.fields) {
    const Column& column = field.column;
    fmt::format_to(std::back_inserter(text), "  {:<16} {:<8} {}\n", column.word, column.unit,
                   column.help);
    if (field.role != Role::kOnRequest) continue;
    by_name.append(by_name.empty() ? "" : ", ").append(column.word);
  }
  if (!by_name.empty()) text += fmt::format("  not in SELECT *: {}\n", by_name);
  return text;
}

Error unknown_name(const Registry& registry, const std::string& word, std::string_view option) {
  std::vector<std::string_view> names = report_names(registry);
  for (const ReportList& list : report_lists()) names.push_back(list.name);
  for (const RowKind* kind : row_kinds()) names.push_back(kind->names.table);
  const std::string near = tools::did_you_mean(word, names);
  return {.what = "unknown report or table '" + word + "'",
          .where = std::string(option),
          .hint = near.empty() ? "prof-report --list all shows them" : near};
}

}  // namespace

Result<Listed> find_listed(const Registry& registry, std::string_view names,
                           std::string_view option) {
  Listed listed;
  if (names.empty() || names == kAllNames) {
    for (const auto& report : registry.all()) listed.reports.push_back(report.get());
    listed.tables.assign(row_kinds().begin(), row_kinds().end());
    return listed;
  }
  for (const std::string& word : tools::split_list(names)) {
    const std::string name = lower(word);
    const std::size_t before = listed.reports.size() + listed.tables.size();
    const auto list = std::ranges::find(report_lists(), name, &ReportList::name);
    if (list != report_lists().end()) {
      for (const std::string_view one : list->reports) {
        listed.reports.push_back(registry.find(one));
      }
    }
    // A report and a table may have one name.
    if (const Report* report = registry.find(name)) listed.reports.push_back(report);
    std::ranges::copy_if(row_kinds(), std::back_inserter(listed.tables),
                         [&](const RowKind* kind) { return kind->names.table == name; });
    if (listed.reports.size() + listed.tables.size() == before) {
      return unknown_name(registry, word, option);
    }
  }
  return listed;
}

std::string list_first(const Registry& registry) {
  std::string text;
  for (const std::string_view name : kFirst) {
    const Report* const report = registry.find(name);
    PROF_CHECK(report != nullptr);
    add_line(text, name, report->info().help);
  }
  return text + fmt::format(
                    "\nprof-report --list {}: {} more, what other tools print, and the tables for "
                    "--sql\nprof-report --list NAME: the columns of a report or a table\n",
                    kAllNames, registry.all().size() - kFirst.size());
}

std::string list_names(const Registry& registry) {
  std::string text;
  const auto heading = [&text](std::string_view name) {
    text.append(text.empty() ? "" : "\n").append(name).append("\n");
  };
  for (const ReportGroup& group : registry.groups()) {
    heading(group.purpose);
    for (const Report* report : group.reports)
      add_line(text, report->info().name, report->info().help);
  }
  for (const ReportList& list : report_lists()) add_line(text, list.name, list.help);
  heading("Tables for --sql");
  for (const RowKind* kind : row_kinds()) add_line(text, kind->names.table, kind->names.help);
  text +=
      "\nprof-report --list NAME: the columns of a report or a table. With one trace, --sql reads\n"
      "its own tables and views, too: docs/formats/schema.md.\n";
  return text;
}

std::string list_columns(const Listed& listed) {
  std::string text;
  const auto add = [&text](const std::string& one) {
    text.append(text.empty() ? "" : "\n").append(one);
  };
  for (const Report* report : listed.reports) add(report_columns(report->info()));
  for (const RowKind* kind : listed.tables) add(table_columns_of(*kind));
  return text;
}

}  // namespace prof::reports
