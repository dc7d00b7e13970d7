// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-report: prints reports about a trace. Thin: command line, terminal, exit code.
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/terminal.hpp"
#include "tools/report/options.hpp"
#include "tools/report/run_report.hpp"

namespace {

constexpr const char* kProgram = "prof-report";

int print_answer(const std::string& text) {
  prof::tools::Output output(stdout);
  output.write(text);
  output.flush();
  return prof::tools::exit_code(output.error(), stderr, kProgram);
}

int run(int argc, const char* const* argv) {
  prof::reports::Registry registry;
  register_builtin(registry);
  const auto options = parse_options(argc, argv, registry);
  if (!options) {
    prof::tools::print_error(stderr, kProgram, options.error().to_line());
    return prof::tools::kUsage;
  }
  if (options->answer) return print_answer(*options->answer);
  const auto trace = prof::TraceReader::open(options->trace);
  if (!trace) {
    prof::tools::print_error(stderr, kProgram, trace.error().to_line());
    return prof::tools::kFailed;
  }
  const auto width = prof::tools::terminal_width(STDOUT_FILENO);
  return run_report(**trace, *options,
                    {.out = stdout,
                     .err = stderr,
                     .out_width = width,
                     .err_shows_out = width.has_value() ||
                                      prof::tools::same_destination(STDOUT_FILENO, STDERR_FILENO)});
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away is seen as a failed write.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    prof::tools::print_error(stderr, kProgram, error.what());
    return prof::tools::kFailed;
  }
}
