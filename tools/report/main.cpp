// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-report: prints reports about traces. Handles only command line, terminal and exit code.
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/terminal.hpp"
#include "tools/common/words.hpp"
#include "tools/report/all_reports.hpp"
#include "tools/report/explain/run_explain.hpp"
#include "tools/report/export/run_export.hpp"
#include "tools/report/filter/capture_filter.hpp"
#include "tools/report/ncu/run_ncu.hpp"
#include "tools/report/options/options.hpp"
#include "tools/report/page/run_page.hpp"
#include "tools/report/run_report.hpp"
#include "tools/report/save/save_attribution.hpp"

namespace {

constexpr const char* kProgram = "prof-report";

/// Each trace by itself: one that cannot be saved keeps none from it.
int save(const prof::reports::Options& options) {
  int code = 0;
  for (const std::string& path : options.traces) {
    auto progress = prof::tools::Progress::on_stderr(kProgram, {"rows"});
    const auto outcome = prof::reports::save_attribution(path, options.range_options.domains,
                                                         progress ? &*progress : nullptr);
    if (progress) progress->finish();
    if (!outcome) prof::tools::print_error(stderr, kProgram, outcome.error().to_line());
    const int own = outcome ? prof::tools::print_answer(to_line(path, *outcome) + "\n", kProgram)
                            : prof::tools::kFailed;
    code = std::max(code, own);
  }
  return code;
}

int run(int argc, const char* const* argv);

/// Runs the command that a line of the report names, in the same form.
int show(const prof::TraceSet& traces, const prof::reports::Options& options,
         const prof::tools::Streams& streams) {
  const auto fail = [](const prof::Error& error, int code) {
    prof::tools::print_error(stderr, kProgram, error.to_line());
    return code;
  };
  prof::reports::Options as_table = options;
  as_table.form = &prof::reports::forms().front();
  const auto commands = prof::reports::texts_of(traces, as_table, "show", streams);
  if (!commands) return fail(commands.error(), prof::tools::kFailed);
  if (*options.show < 1 || *options.show > commands->size()) {
    return fail({.what = "advice has " + prof::count_text(commands->size(), "line", "lines"),
                 .where = "--show " + std::to_string(*options.show),
                 .hint = "prof-report -r advice lists them"},
                prof::tools::kUsage);
  }
  const std::string& command = (*commands)[*options.show - 1];
  if (streams.out_width) prof::tools::print_answer(command + "\n\n", kProgram);
  std::vector<std::string> words = prof::tools::command_words(command);
  words.insert(words.end(), {"-f", std::string(options.form->word)});
  if (options.output) words.insert(words.end(), {"-o", *options.output});
  if (!options.pages) words.emplace_back("--no-pager");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return run(static_cast<int>(arguments.size()), arguments.data());
}

int run(int argc, const char* const* argv) {
  prof::reports::Registry registry;
  register_reports(registry);
  const auto options = parse_options(argc, argv, registry);
  if (!options) {
    prof::tools::print_error(stderr, kProgram, options.error().to_line());
    return prof::tools::kUsage;
  }
  if (options->answer) return prof::tools::print_answer(*options->answer, kProgram);
  if (options->save) return save(*options);
  const auto traces = prof::TraceSet::open(options->traces, options->base_traces);
  if (!traces) {
    prof::tools::print_error(stderr, kProgram, traces.error().to_line());
    return prof::tools::kFailed;
  }
  if (const auto known = check_captures(options->filter, *traces); !known) {
    prof::tools::print_error(stderr, kProgram, known.error().to_line());
    return prof::tools::kUsage;
  }
  auto progress = prof::tools::Progress::on_stderr(kProgram, {"rows"});
  const auto width = prof::tools::terminal_width(STDOUT_FILENO);
  const prof::tools::Streams streams{
      .out = stdout,
      .err = stderr,
      .out_width = width,
      .out_height = options->pages ? prof::tools::terminal_height(STDOUT_FILENO) : std::nullopt,
      .out_styles = prof::tools::Styles::of(STDOUT_FILENO),
      .err_shows_out =
          width.has_value() || prof::tools::same_destination(STDOUT_FILENO, STDERR_FILENO),
      .progress = progress ? &*progress : nullptr,
      .out_is_file = prof::tools::is_regular_file(STDOUT_FILENO)};
  if (options->show) return show(*traces, *options, streams);
  if (options->format) {
    return prof::exports::run_export(
        *traces, {*options->format, options->filter, options->output, options->jobs}, streams);
  }
  if (options->page) {
    const prof::reports::Page page{registry, options->filter, *options->page, options->base_traces,
                                   options->jobs};
    return run_page(*traces, page, streams);
  }
  if (options->ncu_idx) return run_ncu(*traces, options->filter, *options->ncu_idx, streams);
  if (options->explain_idx) {
    return run_explain(*traces, options->filter, *options->explain_idx, options->form->form,
                       streams);
  }
  return run_report(*traces, *options, streams);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away, and a limit of files' sizes, are seen as failed writes.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    prof::tools::print_error(stderr, kProgram, error.what());
    return prof::tools::kFailed;
  }
}
