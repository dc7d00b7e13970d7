// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-run: becomes a program with the collector in it, which writes a trace of what it does on the
// GPU. Its manual is docs/capture.md.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "libprof/base/clock.hpp"
#include "libprof/base/output_file.hpp"
#include "libprof/control/collector_api.hpp"
#include "libprof/control/expected_trace.hpp"
#include "libprof/control/trace_words.hpp"
#include "libprof/control/watcher_page.hpp"
#include "tools/common/messages.hpp"
#include "tools/common/unicode.hpp"
#include "tools/run/become.hpp"
#include "tools/run/launch_plan.hpp"
#include "tools/run/metrics_writer.hpp"
#include "tools/run/options.hpp"
#include "tools/run/steer.hpp"
#include "tools/run/watcher.hpp"

namespace {

using namespace prof::tools;

constexpr std::string_view kProgram = "prof-run";
// As shells have it.
constexpr int kNotStarted = 126, kNotFound = 127;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

/// Our variables, and those that others may have set for the program.
OuterVariables outer_variables() {
  return {variable("LD_PRELOAD"), variable("ASAN_OPTIONS"), variable("CUDA_INJECTION64_PATH"),
          variable("NVTX_INJECTION64_PATH"), variable("PYTHONPATH")};
}

/// Does not check the words: the collector reports those that it does not understand.
prof::TraceWords trace_words(const RunOptions& options) {
  prof::TraceWords read;
  read.parse(options.trace.empty() ? variable("PROF_TRACE") : options.trace);
  return read;
}

/// NCCL has one profiler plugin: the user's own stays.
prof::Status choose_nccl_plugin(const std::string& collector, std::string& chosen) {
  const auto own = find_nccl_plugin(collector);
  if (!own) return own.error();
  const std::string other = variable("NCCL_PROFILER_PLUGIN");
  if (other.empty() || other == *own) {
    chosen = *own;
    return {};
  }
  const prof::Error warning{"is set: NCCL loads that plugin, and its calls are not recorded",
                            "NCCL_PROFILER_PLUGIN=" + other, "unset it for --trace nccl"};
  print_error(stderr, kProgram, warning.to_line());
  return {};
}

/// If --metrics asks for it.
prof::Status leave_metrics_writer(const RunOptions& options, const std::string& traces,
                                  const std::string& own_path) {
  if (options.metrics.empty()) return {};
  const auto plan = plan_metrics(options.metrics, traces, own_path);
  return plan ? prof::tools::leave_metrics_writer(*plan) : prof::Status(plan.error());
}

int run(RunOptions options, const OwnSignals& signals) {
  std::error_code error;
  const std::string own_path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  const auto collector = find_collector(own_path, variable("PROF_COLLECTOR"));
  if (!collector) {
    print_error(stderr, kProgram, collector.error().to_line());
    return kFailed;
  }
  const prof::TraceWords words = trace_words(options);
  for (const std::string& word : words.words(&prof::TraceWord::is_wrapped)) {
    const auto interposer = find_interposer(*collector, word);
    if (!interposer) {
      print_error(stderr, kProgram, interposer.error().to_line());
      return kFailed;
    }
    options.interposers.push_back(*interposer);
  }
  if (words.has("nccl")) {
    if (const auto chosen = choose_nccl_plugin(*collector, options.nccl_plugin); !chosen) {
      print_error(stderr, kProgram, chosen.error().to_line());
      return kFailed;
    }
  }
  if (options.output.empty()) options.output = default_output(options.command.front());
  const OuterVariables outer = outer_variables();
  for (const prof::Status& checked : {check_windows(options, variable("PROF_CAPTURE")),
                                      check_injection(outer.cuda_injection, *collector)}) {
    if (checked) continue;
    print_error(stderr, kProgram, checked.error().to_line());
    return kFailed;
  }
  const auto output = prepare_output(options.output, options.force);
  if (!output) {
    print_error(stderr, kProgram, output.error().to_line());
    return kFailed;
  }
  TracePath stream;
  if (!options.stream.empty()) {
    auto prepared = prepare_output(options.stream, options.force, "--stream");
    if (prepared && prof::is_same_output(prepared->path, output->path)) {
      prepared =
          prof::Error{"is the name of both -o and --stream", prepared->path, "give them two names"};
    }
    if (!prepared) {
      print_error(stderr, kProgram, prepared.error().to_line());
      return kFailed;
    }
    stream = *prepared;
  }
  const std::int64_t began_ns = prof::now_ns();
  const std::string run_id = std::to_string(getpid()) + "-" + std::to_string(began_ns);
  const prof::ExpectedTrace expected{output->path, output->old, began_ns};
  if (const auto left = leave_metrics_writer(options, output->path, own_path); !left) {
    print_error(stderr, kProgram, left.error().to_line());
    return kFailed;
  }
  Watcher watcher(expected, run_id);
  Variables variables = variables_for(options, *collector, *output, stream, run_id, outer,
                                      find_python_packages(own_path));
  variables.emplace_back(prof::kWatcherVariable, watcher.where());
  if (!variable(prof::kStartedByVariable).empty()) variables.emplace_back("PROF_START", "");
  const int failure = become_program(options.command, variables, signals);
  watcher.dismiss();
  print_error(stderr, kProgram,
              options.command.front() + ": could not be started: " + std::strerror(failure));
  return failure == ENOENT ? kNotFound : kNotStarted;
}

int steer_process(pid_t pid, const std::string& word) {
  const auto answer = steer(pid, word, patience_with(word));
  if (!answer) {
    print_error(stderr, kProgram, answer.error().to_line());
    return kFailed;
  }
  std::string text;
  for (std::size_t begin = 0; begin < answer->size();) {
    const std::size_t end = std::min(answer->find('\n', begin), answer->size());
    append_printable(std::string_view(*answer).substr(begin, end - begin), text);
    text += '\n';
    begin = end + 1;
  }
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return exit_code(is_written ? 0 : errno, stderr, kProgram);
}

}  // namespace

// Only exhausted memory could throw past here.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  const OwnSignals signals;
  RunOptions options;
  const auto line = run_command_line(options);
  const auto parsed = line->parse(argc, argv);
  if (parsed.answer) return print_answer(*parsed.answer, kProgram);
  if (parsed.mistake) {
    print_error(stderr, kProgram, *parsed.mistake + "; see prof-run --help");
    return kUsage;
  }
  options.command = line->rest();
  if (options.pid != 0) {
    const prof::Status checked = check_steering(*line);
    if (checked) return steer_process(options.pid, options.command.front());
    print_error(stderr, kProgram, checked.error().to_line());
    return kUsage;
  }
  if (!options.command.empty() && options.command.front() == "--") {
    options.command.erase(options.command.begin());
  }
  const bool is_separated = line->rest().size() != options.command.size();
  if (!is_separated && !options.command.empty() && options.command.front().starts_with('-')) {
    print_error(stderr, kProgram, line->unknown_option(options.command.front()).to_line());
    return kUsage;
  }
  if (options.command.empty()) {
    print_error(stderr, kProgram, "no program to run; see prof-run --help");
    return kUsage;
  }
  return run(std::move(options), signals);
}
