// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "libprof/base/ascii.hpp"
#include "tools/report/compat/nsys_names.hpp"
#include "tools/report/filter/row_filter.hpp"
#include "tools/report/options/completion.hpp"
#include "tools/report/options/option_values.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {
namespace {

using Takes = OptionRow::Takes;
using tools::Values;

bool has_any(const ReportInfo& info, std::span<const std::string_view> words) {
  return std::ranges::find_first_of(info.row_words, words) != info.row_words.end();
}
auto files_like(std::string_view glob) {
  return [glob](const Registry&) { return Values::file(std::string(glob)); };
}

bool has_layers(const ReportInfo& info) { return info.has_layers; }
/// Its lines name commands that print the rows behind them.
bool has_commands(const ReportInfo& info) {
  return std::ranges::find(info.columns, "show", &Column::word) != info.columns.end();
}
/// It shows ranges, or the ranges around its rows.
bool has_range_texts(const ReportInfo& info) {
  const bool shows = std::ranges::find(info.columns, "range", &Column::word) != info.columns.end();
  return info.has_ranges &&
         (shows || std::ranges::find(info.row_words, "name") != info.row_words.end());
}

/// What is printed, in which form, and where.
std::vector<OptionRow> output_rows(const Registry& registry) {
  const std::string first(registry.all().front()->info().name), table(forms().front().word);
  return {
      {.text = {"-r,--report", "NAMES",
                "reports, separated by ','; see --list (" + first + "); nsys: those of nsys stats"},
       .values = report_values,
       .takes = Takes::kEach,
       .usual = first},
      {.text = {"-f,--format", "NAME", "form: " + list_of(form_names()) + " (" + table + ")"},
       .values = [](const Registry&) { return form_values(); },
       .usual = table},
      {.text = {"-o,--output", "PATH", "file to write, -: stdout; DIR/ for a file of each report"},
       .values = files_like("*")},
      {.text = {"--no-pager", "", "on a terminal, do not show what is longer by $PAGER, or less"},
       .takes = Takes::kFlag},
  };
}

/// Columns and lines of a report.
std::vector<OptionRow> line_rows() {
  return {
      {.text = {"-c,--columns", "WORDS", "columns to show, separated by ','; see --list"},
       .values = column_values},
      {.text = {"--by", "WORDS", "columns that a roll-up groups by, separated by ','"},
       .values = key_values},
      {.text = {"--where", "CONDITION", "only lines for which this holds: 'time_us > 100'"},
       .takes = Takes::kEach},
      {.text = {"--sort", "COLUMN", "order of the lines: a column, largest first, or COLUMN:asc"},
       .values = sort_values},
      {.text = {"--top", "N", "only the first N lines"}},
      {.text = {"--depth", "N", "layers as a tree of N levels (tables of roll-ups)"},
       .excludes = {"--sort", "--where", "--top"},
       .hint = "a tree has an order of its own",
       .needs = "lines of layers",
       .applies = has_layers},
      {.text = {"--flat", "", "do not add up numbered layers (h.0, h.1, ...) in tables"},
       .takes = Takes::kFlag,
       .needs = "lines of layers",
       .applies = has_layers},
  };
}

/// What stands in place of reports, and comparisons.
std::vector<OptionRow> other_rows() {
  return {
      {.text = {"--sql", "SELECT", "print the result of this SELECT; tables: docs/sql.md"},
       .excludes = {"--report", "--columns", "--by", "--where", "--sort", "--top", "--depth",
                    "--flat", "--show"},
       .hint = "express it in SQL"},
      {.text = {"--export", "FORMAT",
                "write a file for other programs: " + list_of(export_words())},
       .values = [](const Registry&) { return export_values(); },
       .excludes = {"--sql", "--report", "--format", "--columns", "--by", "--where", "--sort",
                    "--top", "--depth", "--flat", "--show"}},
      {.text = {"--html", "FILE",
                "write a page to look at and to send; of two traces, what changed"},
       .values = files_like("*.html"),
       .goes_with = {"--base", "--new", "--step", "--capture", "--device", "--rank",
                     "--short-ranges", "--whole-ranges", "--domain", "--process-ranges",
                     "--step-range", "--find-steps", "--jobs"},
       .hint = "a page has its own tables, whose rows are chosen there, or by --step"},
      {.text = {"--ncu", "IDX",
                "print the command line of Nsight Compute that measures kernel IDX again"},
       .goes_with = {"--report"}},
      {.text = {"--explain", "IDX",
                "show why kernel IDX has its layer, op, cost and bound (table, json)"},
       .goes_with = {"--report", "--format", "--domain", "--process-ranges", "--step-range",
                     "--find-steps"}},
      {.text = {"--show", "N", "with -r advice: print the rows behind its line N"},
       .excludes = {"--columns", "--where", "--sort", "--top"},
       .hint = "it counts all lines",
       .needs = "commands to show",
       .applies = has_commands},
      {.text = {"--base", "TRACES", "the traces that -r diff, or a page, compares with"},
       .values = files_like("*.db"),
       .takes = Takes::kList},
      {.text = {"--new", "TRACES", "the traces that -r diff, or a page, compares"},
       .values = files_like("*.db"),
       .takes = Takes::kList},
      {.text = {"--fail-above", "PERCENT",
                "with -r diff: exit code 3 if the period is longer by more (5%), 4 if undecided"}},
  };
}

/// Which rows reports see.
std::vector<OptionRow> row_rows() {
  std::vector<OptionRow> rows = {
      {.text = {"--step", "N|A-B|last",
                "only what was launched in step N, steps A-B or the last step"},
       .values =
           [](const Registry&) {
             return Values::one_of({{"last", "the last step"}});
           },
       .takes = Takes::kEach,
       .needs = "steps",
       .applies = [](const ReportInfo& info) { return info.has_steps; }},
      {.text = {"--capture", "N|A-B|last",
                "only what is in capture N, captures A-B or the last capture"},
       .values =
           [](const Registry&) {
             return Values::one_of({{"last", "the last capture"}});
           },
       .takes = Takes::kEach,
       .needs = "captures",
       .applies =
           [](const ReportInfo& info) {
             return std::ranges::find(info.row_words, "capture") != info.row_words.end();
           }},
  };
  for (const FilterOption& filter : filter_options()) {
    rows.push_back(
        {.text = {std::string(filter.flag), std::string(filter.type), std::string(filter.help)},
         .values = [&filter](const Registry&) { return filter_values(filter.flag); },
         .takes = Takes::kEach,
         .needs = fmt::format("column '{}'", filter.columns.front()),
         .applies = [&filter](const ReportInfo& info) { return has_any(info, filter.columns); }});
  }
  rows.push_back(
      {.text = {"--range", "[DOMAIN:]GLOB", "only what is inside of NVTX ranges of these texts"},
       .takes = Takes::kEach,
       .needs = "ranges around its rows",
       .applies = [](const ReportInfo& info) { return info.has_ranges; }});
  return rows;
}

/// How ranges are read.
std::vector<OptionRow> range_rows() {
  return {
      {.text = {"--short-ranges", "",
                "ranges by name, without the numbers, sizes and attributes in their texts; the "
                "default, but not where a report prints what another tool does"},
       .takes = Takes::kFlag,
       .needs = "texts of ranges",
       .applies = has_range_texts},
      {.text = {"--whole-ranges", "", "ranges by all of their texts"},
       .takes = Takes::kFlag,
       .excludes = {"--short-ranges"},
       .needs = "texts of ranges",
       .applies = has_range_texts},
      {.text = {"--domain", "NAME", "also read ranges of this NVTX domain as layers"},
       .takes = Takes::kEach},
      {.text = {"--process-ranges", "",
                "ranges of the process (nvtxRangeStart) name the layers of what has none"},
       .takes = Takes::kFlag},
      {.text = {"--step-range", "[DOMAIN:]GLOB", "NVTX ranges of these texts are the steps"},
       .takes = Takes::kEach},
      {.text =
           {"--find-steps", "auto|off",
            "auto: where no range marks a step, steps are what the launches repeat, an estimate"},
       .values =
           [](const Registry&) {
             return Values::one_of({{"auto", "steps that no range marks are estimated"},
                                    {"off", "only ranges are steps"}});
           },
       .usual = "auto"},
  };
}

std::vector<OptionRow> program_rows() {
  return {
      {.text = {"--jobs", "N", "read N traces at a time, each with a thread (as many as cores)"}},
      {.text = {"--save", "", "save the attribution in the trace, for SQL; no report"},
       .takes = Takes::kFlag,
       .goes_with = {"--domain"}},
      {.text = {"--list", "[NAME]",
                "list reports; all of them and SQL tables; or the columns of one"},
       .values = listed_values,
       .takes = Takes::kOptionalValue},
      {.text = {"--json-schema", "[NAME]", "JSON Schema of -f json, of a report or of all"},
       .values = report_values,
       .takes = Takes::kOptionalValue},
  };
}

}  // namespace

std::string_view OptionRow::flag() const {
  return std::string_view(text.flags).substr(text.flags.find("--"));
}

OptionWords::OptionWords(const Registry& registry) {
  for (std::vector<OptionRow> topic : {output_rows(registry), line_rows(), other_rows(), row_rows(),
                                       range_rows(), program_rows()}) {
    std::ranges::move(topic, std::back_inserter(rows_));
  }
  for (const OptionRow& row : rows_) typed_[row.flag()].value = row.usual;
}

void OptionWords::declare(tools::CommandLine& line, const Registry* registry) {
  line.help_column(26);
  line.leaves_unknown_options();
  line.arguments("trace", traces_, "traces (trace.db), or folders of them; several are combined");
  for (const OptionRow& row : rows_) {
    Typed& typed = typed_[row.flag()];
    tools::OptionText text = row.text;
    if (registry != nullptr && row.values) text.values = row.values(*registry);
    switch (row.takes) {
      case Takes::kFlag:
        line.flag(text.flags, typed.is_set, text.help);
        break;
      case Takes::kValue:
        line.value(text, typed.value);
        break;
      case Takes::kOptionalValue:
        line.optional_value(text, typed.value);
        break;
      case Takes::kEach:
        line.values(text, typed.values);
        break;
      case Takes::kList:
        line.list(text, typed.values);
        break;
    }
  }
  line.version();
}

void OptionWords::note_given(const tools::CommandLine& line) {
  given_ = line.given();
  for (auto& [flag, typed] : typed_) {
    if (!typed.values.empty()) typed.value = fmt::format("{}", fmt::join(typed.values, ","));
  }
}

void OptionWords::take_report_of_arguments(const Registry& registry) {
  if (has("--report") || traces_.empty() || std::filesystem::exists(traces_.front())) return;
  const std::string name = lower(traces_.front());
  const auto list = std::ranges::find(report_lists(), name, &ReportList::name);
  if (registry.find(name) == nullptr && list == report_lists().end()) return;
  typed_.at("--report").value = name;
  given_.emplace_back("--report");
  traces_.erase(traces_.begin());
}

bool OptionWords::has(std::string_view flag) const {
  return std::ranges::find(given_, flag) != given_.end();
}

Status OptionWords::check_conflicts() const {
  const auto is_in = [](const std::vector<std::string_view>& flags, std::string_view flag) {
    return std::ranges::find(flags, flag) != flags.end();
  };
  for (const OptionRow& row : rows_) {
    if (!has(row.flag())) continue;
    for (const std::string& other : given_) {
      if (other == "trace" || other == row.flag()) continue;
      const bool is_refused =
          row.goes_with.empty() ? is_in(row.excludes, other) : !is_in(row.goes_with, other);
      if (is_refused) return clash(other, row.flag(), row.hint);
    }
  }
  return {};
}

}  // namespace prof::reports
