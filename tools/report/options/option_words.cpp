// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/option_words.hpp"

#include <algorithm>

#include "tools/report/filter/row_filter.hpp"
#include "tools/report/options/option_values.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {
namespace {

void declare_reports(tools::CommandLine& line, OptionWords& words) {
  line.values(
      {"-r,--report", "NAMES",
       "reports, separated by ','; see --list (" + words.reports + "); nsys: those of nsys stats"},
      words.report_lists);
  line.value({"-f,--format", "NAME", "form: " + list_of(form_names()) + " (" + words.form + ")"},
             words.form);
  line.value({"-o,--output", "PATH", "file to write, -: stdout; DIR/ for a file of each report"},
             words.output);
}

void declare_lines(tools::CommandLine& line, OptionWords& words) {
  line.value({"-c,--columns", "WORDS", "columns to show, separated by ','; see --list"},
             words.columns);
  line.value({"--by", "WORDS", "columns that a roll-up groups by, separated by ','"}, words.by);
  line.values({"--where", "CONDITION", "only lines for which this holds: 'time_us > 100'"},
              words.where);
  line.value({"--sort", "COLUMN", "order of the lines: a column, largest first, or COLUMN:asc"},
             words.sort);
  line.value({"--top", "N", "only the first N lines"}, words.top);
  line.value({"--depth", "N", "layers as a tree of N levels (tables of roll-ups)"}, words.depth);
  line.flag("--flat", words.flat, "do not add up numbered layers (h.0, h.1, ...) in tables");
}

void declare_others(tools::CommandLine& line, OptionWords& words) {
  line.value({"--sql", "SELECT", "print the result of this SELECT; tables: docs/sql.md"},
             words.sql);
  line.value({"--export", "FORMAT", "write a file for other programs: " + list_of(export_words())},
             words.export_format);
  line.value({"--html", "FILE", "write a page to look at and to send; of two traces, what changed"},
             words.page);
  line.value(
      {"--ncu", "IDX", "print the command line of Nsight Compute that measures kernel IDX again"},
      words.ncu);
  line.value(
      {"--explain", "IDX", "show why kernel IDX has its layer, op, cost and bound (table, json)"},
      words.explain);
  line.list({"--base", "TRACES", "the traces that -r diff, or a page, compares with"}, words.base);
  line.list({"--new", "TRACES", "the traces that -r diff, or a page, compares"}, words.fresh);
  line.value({"--fail-above", "PERCENT",
              "with -r diff: exit code 3 if the period is longer by more (5%), 4 if undecided"},
             words.fail_above);
}

void declare_rows(tools::CommandLine& line, OptionWords& words) {
  line.values(
      {"--step", "N|A-B|last", "only what was launched in step N, steps A-B or the last step"},
      words.steps);
  line.values(
      {"--capture", "N|A-B|last", "only what is in capture N, captures A-B or the last capture"},
      words.captures);
  for (const FilterOption& filter : filter_options()) {
    line.values({std::string(filter.flag), std::string(filter.type), std::string(filter.help)},
                words.filters[filter.flag]);
  }
  line.values({"--range", "[DOMAIN:]GLOB", "only what is inside of NVTX ranges of these texts"},
              words.ranges);
}

void declare_ranges(tools::CommandLine& line, OptionWords& words) {
  line.flag(
      "--short-ranges", [&words] { words.short_ranges = true; },
      "ranges by name, without the numbers, sizes and attributes in their texts; the default, but "
      "not where a report prints what another tool does");
  line.flag(
      "--whole-ranges", [&words] { words.short_ranges = false; }, "ranges by all of their texts");
  line.values({"--domain", "NAME", "also read ranges of this NVTX domain as layers"},
              words.range_options.domains);
  line.flag("--process-ranges", words.range_options.process_ranges,
            "ranges of the process (nvtxRangeStart) name the layers of what has none");
  line.values({"--step-range", "[DOMAIN:]GLOB", "NVTX ranges of these texts are the steps"},
              words.range_options.steps);
}

}  // namespace

OptionWords::OptionWords(const Registry& registry)
    : reports(registry.all().front()->info().name), form(forms().front().word) {}

bool OptionWords::has(std::string_view flag) const {
  return std::ranges::find(given, flag) != given.end();
}

void declare(tools::CommandLine& line, OptionWords& words) {
  line.help_column(26);
  line.leaves_unknown_options();
  line.arguments("trace", words.traces,
                 "traces (trace.db), or folders of them; several are combined");
  declare_reports(line, words);
  declare_lines(line, words);
  declare_others(line, words);
  declare_rows(line, words);
  declare_ranges(line, words);
  line.value({"--jobs", "N", "read N traces at a time, each with a thread (as many as cores)"},
             words.jobs);
  line.flag("--save", words.save, "save the attribution in the trace, for SQL; no report");
  line.optional_value({"--list", "[NAME]", "list reports and SQL tables, or the columns of one"},
                      words.list);
  line.optional_value({"--json-schema", "[NAME]", "JSON Schema of -f json, of a report or of all"},
                      words.json_schema);
  line.version();
}

}  // namespace prof::reports
