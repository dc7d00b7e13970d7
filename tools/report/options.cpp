// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line, see options.hpp.
#include "tools/report/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "tools/report/listing.hpp"

namespace prof::reports {
namespace {

template <typename Items, typename NameOf>
std::string joined(const Items& items, NameOf name_of) {
  std::string text;
  for (const auto& item : items) text.append(text.empty() ? "" : ", ").append(name_of(item));
  return text;
}

std::string report_names(const Registry& registry) {
  return joined(registry.all(), [](const auto& report) { return report->info().name; });
}

std::string form_names() {
  return joined(forms(), [](const FormInfo& form) { return form.word; });
}

Error unknown(std::string_view what, const std::string& word, std::string_view option,
              const std::string& valid) {
  return {.what = "unknown " + std::string(what) + " '" + word + "'",
          .where = std::string(option),
          .hint = std::string(what) + "s are " + valid};
}

}  // namespace

Result<Options> parse_options(int argc, const char* const* argv, const Registry& registry) {
  CLI::App app{"Shows which layer, op, direction and shape launched every GPU kernel of a trace.",
               "prof-report"};
  app.get_formatter()->column_width(26);
  std::string report(registry.all().front()->info().name);
  std::string form(forms().front().word);
  std::string columns;
  std::string sql;
  std::string step;
  Options options;
  bool list = false;
  // Checked below: CLI11's own checks do not list the valid values in one line.
  app.add_option("trace", options.traces, "trace files (trace.db); several are combined")
      ->type_name("");
  app.add_option("-r,--report", report, "report: " + report_names(registry) + " (" + report + ")")
      ->type_name("NAME");
  app.add_option("-f,--format", form, "form: " + form_names() + " (" + form + ")")
      ->type_name("NAME");
  app.add_option("-c,--columns", columns, "columns to show, separated by ','; see --list")
      ->type_name("WORDS");
  app.add_option("--sql", sql, "print the result of this SELECT; tables: docs/sql.md")
      ->type_name("SELECT");
  app.add_option("--step", step, "show only what was launched in this step")->type_name("N");
  app.add_option("--domain", options.domains,
                 "also read ranges of this NVTX domain as layers; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("--save", options.save, "save the attribution in the trace, for SQL; no report");
  app.add_flag("--list", list, "list reports and their columns (with -r: only that report)");
  app.set_version_flag("--version", "prof-report " PROF_VERSION_STRING, "show the version");
  app.footer(
      "Notes and warnings follow a table; with csv and json they go to stderr.\n"
      "Exit codes: 0 success, 1 cannot read the trace or write the output, 2 usage error.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    options.answer = app.help();
    return options;
  } catch (const CLI::CallForVersion& version) {
    options.answer = std::string(version.what()) + "\n";
    return options;
  } catch (const CLI::ParseError& error) {
    return Error{.what = error.what(), .where = "", .hint = "see prof-report --help"};
  }

  options.report = registry.find(report);
  if (options.report == nullptr) return unknown("report", report, "-r", report_names(registry));
  const auto found = std::find_if(forms().begin(), forms().end(),
                                  [&](const FormInfo& info) { return info.word == form; });
  if (found == forms().end()) return unknown("format", form, "-f", form_names());
  options.form = &*found;
  if (list) {
    const bool one = app.count("--report") > 0;
    options.answer = one ? list_report(*options.report) : list_reports(registry);
    return options;
  }

  if (app.count("--step") > 0) {
    std::int64_t number = 0;
    const char* end = step.data() + step.size();
    const auto parsed = std::from_chars(step.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return Error{.what = "'" + step + "' is not a whole number", .where = "--step", .hint = ""};
    }
    options.step = number;
  }

  if (options.save) {
    for (const char* option : {"--report", "--format", "--columns", "--step", "--sql"}) {
      if (app.count(option) > 0) {
        return Error{.what = "does not go with --save", .where = option, .hint = ""};
      }
    }
  }
  if (app.count("--sql") > 0) {
    for (const char* option : {"--report", "--columns", "--step"}) {
      if (app.count(option) > 0) {
        return Error{
            .what = "does not go with --sql", .where = option, .hint = "express it in SQL"};
      }
    }
    options.sql = std::move(sql);
  }
  const ReportInfo& info = options.report->info();
  if (options.step && !info.has_steps) {
    return Error{.what = "report '" + std::string(info.name) + "' has no steps",
                 .where = "--step",
                 .hint = ""};
  }
  if (app.count("--columns") > 0) {
    auto chosen = choose_columns(info, columns);
    if (!chosen) return chosen.error();
    options.columns = *std::move(chosen);
  } else {
    options.columns = info.shown(options.form->form, options.traces.size() > 1);
  }

  if (options.traces.empty()) {
    return Error{.what = "no trace file given",
                 .where = "",
                 .hint = "usage: prof-report [OPTIONS] trace.db..., see prof-report --help"};
  }
  return options;
}

}  // namespace prof::reports
