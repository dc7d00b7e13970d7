// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-fleet: a fleet's history. Only command line, terminal and exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/progress.hpp"
#include "tools/common/result_file.hpp"
#include "tools/common/terminal.hpp"
#include "tools/fleet/export_parquet.hpp"
#include "tools/fleet/options.hpp"
#include "tools/fleet/questions/compared_runs.hpp"

namespace {

using prof::count_text;
using prof::fleet::Answered;
using prof::fleet::Command;
using prof::fleet::FleetOptions;
using prof::fleet::Store;
using prof::tools::kFailed;

constexpr const char* kProgram = "prof-fleet";

int fail(const prof::Error& error) {
  prof::tools::print_error(stderr, kProgram, error.to_line());
  return kFailed;
}

volatile std::sig_atomic_t interrupted = 0;

/// None of the files can be read: no store is made for that.
bool none_is_trace(std::span<const std::string> paths) {
  std::vector<prof::Error> errors;
  for (const std::string& path : paths) {
    const auto opened = prof::TraceSet::open(std::span(&path, 1));
    if (opened) return false;
    errors.push_back(opened.error());
  }
  for (const prof::Error& error : errors) fail(error);
  return true;
}

int add(const FleetOptions& options) {
  if (none_is_trace(options.traces)) return kFailed;
  auto store = Store::open(options.store, Store::Use::kAdd);
  if (!store) return fail(store.error());
  // A trace that is being read is added before the program ends; a second signal kills.
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
  auto progress = prof::tools::Progress::on_stderr(kProgram, {"traces"});
  const auto added =
      add_traces(*store, options.traces, options.add, [&](std::uint64_t done, std::uint64_t all) {
        if (progress) progress->update(done, static_cast<double>(done) / static_cast<double>(all));
        return interrupted == 0;
      });
  if (progress) progress->finish();
  if (!added) return fail(added.error());
  for (const prof::Error& error : added->left_out) fail(error);
  std::string line = fmt::format("{} added, {}", count_text(added->traces, "trace", "traces"),
                                 count_text(added->rows, "row", "rows"));
  if (added->there > 0) {
    line += fmt::format("; {} there already", count_text(added->there, "trace is", "traces are"));
  }
  if (!added->left_out.empty()) line += fmt::format("; {} left out", added->left_out.size());
  const int code = prof::tools::print_answer(line + "\n", kProgram);
  if (added->is_interrupted) {
    return fail({"interrupted", {}, "the same command adds the rest"});
  }
  return added->left_out.empty() ? code : kFailed;
}

/// --fail-above, of what a question found.
int judge(double limit, const Answered& answered) {
  constexpr const char* kOption = "--fail-above";
  const auto& [low, high] = answered.longer_pct;
  if (high && *high <= limit) return prof::tools::kDone;
  const bool is_worse = low && *low > limit;
  std::string line;
  if (is_worse) {
    line = fmt::format("the step's period is {:.1f} to {:.1f} % longer, and {} % are allowed", *low,
                       *high, limit);
  } else {
    const std::string known = low ? fmt::format("{:+.1f} to {:+.1f} % longer", *low, *high)
                                  : std::string("a run has too few steady steps");
    line = fmt::format(
        "whether the step's period is more than {} % longer cannot be decided; {}; capture more "
        "steps",
        limit, known);
  }
  prof::tools::print_error(stderr, kProgram, fmt::format("{}: {}", kOption, line));
  return is_worse ? prof::tools::kWorse : prof::tools::kUndecided;
}

/// The lines of a question, or of the user's SELECT.
int answer(const FleetOptions& options) {
  auto store = Store::open(options.store, Store::Use::kRead);
  if (!store) return fail(store.error());
  const auto differences = differences_of_runs(*store, options.asked);
  if (!differences) return fail(differences.error());
  for (const std::string& line : *differences) {
    prof::tools::print_error(stderr, kProgram, "warning: " + line);
  }
  std::optional<prof::tools::ResultFile> file;
  if (!options.output.empty()) {
    auto made = prof::tools::ResultFile::create(options.output);
    if (!made) return fail(made.error());
    file.emplace(std::move(*made));
  }
  prof::tools::Output output(file ? file->stream() : stdout);
  const bool for_people = is_for_people(options.form->form);
  const auto renderer = options.form->make(
      output, {.width = file ? std::nullopt : prof::tools::terminal_width(STDOUT_FILENO),
               .keep_columns = file.has_value(),
               .styles = prof::tools::Styles::of(STDOUT_FILENO)});
  const auto answered = options.command == Command::kSql
                            ? ask_sql(*store, options.sql, *renderer)
                            : ask(*store, options.asked, *renderer, for_people);
  output.flush();
  if (file) {
    if (const auto finished = file->finish(answered ? output.error() : EIO);
        answered && !finished) {
      return fail(finished.error());
    }
  }
  if (!answered) return fail(answered.error());
  if (answered->has_more) {
    prof::tools::print_error(stderr, kProgram,
                             "there are more lines; --limit N or -f csv shows them");
  }
  const auto* const question = options.asked.question;
  if (answered->lines == 0 && question != nullptr && !question->info().missing.empty()) {
    prof::tools::print_error(stderr, kProgram, question->info().missing);
  }
  const int code =
      file ? prof::tools::kDone : prof::tools::exit_code(output.error(), stderr, kProgram);
  if (!options.fail_above_pct || code != prof::tools::kDone) return code;
  return judge(*options.fail_above_pct, *answered);
}

int export_tables(const FleetOptions& options) {
  auto store = Store::open(options.store, Store::Use::kRead);
  if (!store) return fail(store.error());
  const auto written = prof::fleet::export_parquet(*store, options.folder);
  if (!written) return fail(written.error());
  return prof::tools::print_answer(*written + "\n", kProgram);
}

int run(int argc, char** argv) {
  const auto options = prof::fleet::parse_options(argc, argv);
  if (!options) {
    prof::tools::print_error(stderr, kProgram, options.error().to_line());
    return prof::tools::kUsage;
  }
  switch (options->command) {
    case Command::kAnswer:
      return prof::tools::print_answer(options->answer, kProgram);
    case Command::kInit: {
      const auto store = Store::open(options->store, Store::Use::kAdd);
      if (!store) return fail(store.error());
      return prof::tools::print_answer(options->store.store + ": has the tables\n", kProgram);
    }
    case Command::kAdd:
      return add(*options);
    case Command::kExport:
      return export_tables(*options);
    case Command::kSql:
    case Command::kAsk:
      return answer(*options);
  }
  return kFailed;
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
    return kFailed;
  }
}
