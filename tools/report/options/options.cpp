// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The order in which words become Options: each step relies on those before it.
#include "tools/report/options/options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "analyzers/loops/find_steps.hpp"
#include "tools/report/options/choices.hpp"
#include "tools/report/options/completion.hpp"
#include "tools/report/options/listing.hpp"
#include "tools/report/options/option_table.hpp"

namespace prof::reports {
namespace {

constexpr const char* kProgram = "prof-report";
constexpr const char* kBrief =
    "Shows which layer, op, direction and shape launched every GPU kernel of a trace.";
constexpr const char* kExitCodes =
    "0 success, 1 cannot read the trace or write the output, 2 usage error, 3 --fail-above is "
    "exceeded, 4 it cannot be decided.";

void declare_all(tools::CommandLine& line, OptionWords& words, const Registry* registry = nullptr) {
  words.declare(line, registry);
  line.footer(
      "Options that choose rows may be repeated: a row needs to match one of each kind.\n"
      "Notes and warnings follow a table; with other forms they go to stderr.\n"
      "Exit codes: " +
      std::string(kExitCodes));
}

/// Of what --list or --json-schema names, or else -r.
Result<std::string> listing(const OptionWords& words, const Registry& registry, Form form) {
  const bool is_schema = words.has("--json-schema");
  const std::string& named = words.value(is_schema ? "--json-schema" : "--list");
  const bool takes_reports = named.empty() && words.has("--report");
  const std::string& names = takes_reports ? words.value("--report") : named;
  const Result<Listed> listed =
      find_listed(registry, names, is_schema ? "--json-schema" : "--list");
  if (!listed) return listed.error();
  if (is_schema && listed->reports.empty()) {
    return Error{"is a table for SQL; reports have a schema", names,
                 "prof-report --list all shows them"};
  }
  if (is_schema) return json_schema(*listed);
  if (form == Form::kJson || form == Form::kJsonLines) {
    return list_as_json(*listed, form == Form::kJsonLines);
  }
  if (names.empty()) return list_first(registry);
  return names == kAllNames ? list_names(registry) : list_columns(*listed);
}

Status choose_found_steps(const OptionWords& words, Options& options) {
  const std::string& word = words.value("--find-steps");
  if (word == "auto") options.range_options.found_steps = std::make_shared<FoundStepsMemo>();
  if (word == "auto" || word == "off") return {};
  return Error{.what = fmt::format("'{}' is neither auto nor off", word),
               .where = "--find-steps",
               .hint = ""};
}

/// Everything but what is answered at once.
Status choose(const OptionWords& words, const Registry& registry, Options& options) {
  PROF_TRY(words.check_conflicts());
  options.traces = words.traces();
  options.save = words.has("--save");
  options.report_chosen = words.has("--report");
  options.pages = !words.has("--no-pager");
  if (words.has("--short-ranges")) options.short_ranges = true;
  if (words.has("--whole-ranges")) options.short_ranges = false;
  options.range_options.domains = words.values("--domain");
  options.range_options.steps = words.values("--step-range");
  options.range_options.process_ranges = words.has("--process-ranges");
  PROF_TRY(choose_found_steps(words, options));
  PROF_TRY(choose_rows(words, options));
  PROF_TRY(choose_layers(words, options));
  PROF_TRY(choose_instead(words, options));
  PROF_TRY(check_rows(words, registry, options));
  PROF_TRY(choose_traces(words, options));
  PROF_TRY(choose_report_columns(words, registry, options));
  PROF_TRY(choose_report_lines(words, options));
  PROF_TRY(choose_output(words, options));
  PROF_TRY(choose_jobs(words, options));
  if (!options.traces.empty()) return {};
  if (options.page) {
    return Error{.what = fmt::format("'{}' is the page, and no trace is given", *options.page),
                 .where = "--html",
                 .hint = "name the page first: --html page.html trace.db"};
  }
  return Error{.what = "no trace file given",
               .where = "",
               .hint = "usage: prof-report [OPTIONS] trace.db..., see prof-report --help"};
}

Result<Options> parse(int argc, const char* const* argv, const Registry& registry) {
  OptionWords words(registry);
  tools::CommandLine line(kProgram, kBrief);
  declare_all(line, words);
  const auto parsed = line.parse(argc, argv);
  Options options;
  if (parsed.answer) {
    options.answer = *parsed.answer;
    return options;
  }
  if (parsed.mistake) {
    return Error{.what = *parsed.mistake, .where = "", .hint = "see prof-report --help"};
  }
  if (const auto extra = line.rest(); !extra.empty()) return line.unknown_option(extra.front());
  words.note_given(line);
  words.take_report_of_arguments(registry);
  PROF_TRY(choose_reports(words, registry, options));
  PROF_TRY(choose_form(words, options));
  if (!words.has("--list") && !words.has("--json-schema")) {
    PROF_TRY(choose(words, registry, options));
    return options;
  }
  Result<std::string> list = listing(words, registry, options.form->form);
  if (!list) return list.error();
  options.answer = *std::move(list);
  return options;
}

}  // namespace

Result<Options> parse_options(int argc, const char* const* argv, const Registry& registry) {
  // "prof-report help ops".
  if (argc == 3 && std::string_view(argv[1]) == "help" && !std::filesystem::exists(argv[1])) {
    const char* const list[] = {argv[0], "--list", argv[2]};
    return parse(3, list, registry);
  }
  return parse(argc, argv, registry);
}

tools::Manual manual(const Registry& registry) {
  OptionWords words(registry);
  tools::CommandLine line(kProgram, kBrief);
  declare_all(line, words, &registry);
  return {.program = kProgram,
          .brief = kBrief,
          .arguments = "[OPTIONS] trace.db...",
          .argument = tools::Values::file("*.db"),
          .options = line.manual_options(),
          .sections = {report_section(registry),
                       {"EXIT STATUS", {{kExitCodes, ""}}},
                       tools::see_also("prof-run(1), prof-import(1)")}};
}

}  // namespace prof::reports
