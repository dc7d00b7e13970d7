// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/options.hpp"

#include <string>
#include <utility>
#include <vector>

#include "libprof/control/capture_spec.hpp"
#include "libprof/control/control_words.hpp"
#include "libprof/control/placeholders.hpp"
#include "libprof/control/trace_words.hpp"

namespace prof::tools {
namespace {

constexpr const char* kBrief =
    "Runs a program and records what it does on NVIDIA GPUs: every kernel, the calls and ranges "
    "that\n"
    "led to it.";
constexpr const char* kArguments = "[OPTIONS] [--] PROGRAM [ARGUMENTS...]";
constexpr const char* kSteering = "--pid PID start|stop|flush|status";
constexpr const char* kExitCode =
    "the program's own, which prof-run becomes; 1 if nothing could be captured and the program "
    "was\n"
    "not run; 2 for wrong usage; 126 or 127 if the program could not be started.\n"
    "With --pid: 0 if the process did it, 1 if not.";

/// The collector reads the words, too, but a typing error should not wait for it.
std::string check_trace_words(const std::string& words) {
  TraceWords read;
  if (read.parse(words)) return {};
  return words + ": not understood; " + expected_trace_words() + " expected";
}

/// "device, device=INTERVAL (clocks, ...); ..."
std::string trace_help() {
  std::string text = "what else to record, separated by commas: ", libraries;
  for (const TraceWord& known : kTraceWords) {
    const std::string word(known.word);
    if (known.is_library) {
      libraries += (libraries.empty() ? "" : ", ") + word;
      continue;
    }
    text += word;
    if (!known.times.empty()) {
      text.append(", ").append(word).append("=").append(known.times, 0, known.times.find(' '));
    }
    text.append(" (").append(known.help).append("); ");
  }
  return text + libraries +
         " (calls of these libraries, as ops); all; each with no- before it for not [device]";
}

Values trace_values() {
  std::vector<Word> words;
  for (const TraceWord& known : kTraceWords) {
    words.push_back({std::string(known.word), std::string(known.help)});
    words.push_back({"no-" + words.back().text, "none of these"});
  }
  words.push_back({"all", "all of this"});
  return Values::list_of(std::move(words));
}

std::string check_name(const std::string& name) {
  return name.empty() ? "the file's name is empty" : "";
}

std::string check_capture_spec(const std::string& words) {
  CaptureSpec read;
  const Status status = add_capture_spec(words, read);
  return status ? std::string() : status.error().to_line();
}

std::string check_size(const std::string& size) {
  if (parse_size(size)) return {};
  return size + ": not understood; " + std::string(kSizeExpected) + " expected";
}

}  // namespace

std::unique_ptr<CommandLine> run_command_line(RunOptions& options) {
  auto line = std::make_unique<CommandLine>(
      "prof-run", std::string(kBrief) + " Look at the result with: prof-report TRACE");
  line->usage({std::string("prof-run ") + kArguments, std::string("prof-run ") + kSteering});
  line->version();
  line->value({"-o,--output", "FILE",
               "the trace to write [prof-PROGRAM.db]; in its name %p: process id, %h: host, %r: "
               "rank, %n: window (a file for each)",
               Values::file("*.db")},
              options.output, check_name);
  line->flag("--force", options.force, "replace an existing trace");
  line->not_here("-f", kFormNotForce);
  line->word({"--api", "MODE",
              "CUDA calls to record: launch (launches, copies, synchronization, allocation, "
              "streams, events), all, none [launch]",
              Values::one_of({{"launch", "launches, copies, allocation, ..."},
                              {"all", "every call"},
                              {"none", "no call"}})},
             options.api);
  line->word({"--graph-trace", "MODE",
              "CUDA graphs: node (each kernel, copy and set of a launch), graph (each launch as a "
              "whole, which costs less) [node]",
              Values::one_of(
                  {{"graph", "each launch as a whole"}, {"node", "each kernel, copy and set"}})},
             options.graph_trace);
  line->value({"--trace", "WORDS", trace_help(), trace_values()}, options.trace, check_trace_words);
  line->values({"--capture", "SPEC",
                "capture only a part of the run (several may be given): steps:A..B[,C..D], "
                "nvtx:[DOMAIN:]GLOB[#N..M] (while such a range is open, the Nth to Mth time), "
                "cuda-profiler-api (cudaProfilerStart to cudaProfilerStop), signal:USR2 (in turn), "
                "control (prof-run --pid PID start|stop), delay:TIME, duration:TIME (of each "
                "window: 500ms, 30s, 10m), kernels:N (of each window)"},
               options.capture, check_capture_spec);
  line->each(
      {"--duty", "WORDS",
       "windows again and again: the last N of every M steps (3/100steps), or TIME of every "
       "TIME (5s/10m)"},
      [&options](const std::string& words) { options.capture.push_back("duty:" + words); },
      [](const std::string& words) { return check_capture_spec("duty:" + words); });
  line->value({"--max-size", "SIZE",
               "remove the oldest windows' files where all would be larger: 500M, 2G (-o with %n)"},
              options.max_size, check_size);
  line->value({"--metrics", "FILE",
               "after each window, write its sums by layer and direction for Prometheus "
               "(-o with %n)"},
              options.metrics, check_name);
  line->word({"--between", "MODE",
              "between windows: light (CUDA graphs are followed), off (nothing is left of CUPTI) "
              "[light]",
              Values::one_of(
                  {{"light", "CUDA graphs are followed"}, {"off", "nothing is left of CUPTI"}})},
             options.between);
  line->value({"--stream", "FILE", "also write the records as text, for prof-import",
               Values::file("*.jsonl")},
              options.stream, check_name);
  line->flag("-q,--quiet", options.quiet, "print no line when the trace is written");
  line->positive({"--pid", "PID",
                  "steer the capture of a running program that was started with --capture "
                  "control: start, stop, flush (write what is known), status"},
                 options.pid);
  // The first word that is not an option of ours starts the program and its arguments.
  line->ends_at_first_argument();
  line->footer(std::string("Exit code: ") + kExitCode);
  return line;
}

Status check_windows(const RunOptions& options, const std::string& windows) {
  if (options.capture.empty()) {
    CaptureSpec read;
    if (const Status status = add_capture_specs(windows, read); !status) {
      return Error{status.error().to_line(), "PROF_CAPTURE", "nothing would be captured"};
    }
  }
  if (options.max_size.empty() && options.metrics.empty()) return {};
  const bool is_limited = !options.max_size.empty();
  const std::string option = is_limited ? "--max-size" : "--metrics";
  if (options.capture.empty() && windows.empty()) {
    return Error{is_limited ? "limits the files of windows, and there are none"
                            : "is about windows, and there are none",
                 option, "say what to capture with --capture or --duty"};
  }
  if (!has_window_number(options.output)) {
    return Error{is_limited ? "holds all windows, none of which can be removed from it"
                            : "holds all windows, and is complete at the end alone",
                 options.output, "with " + option + ", put %n into its name"};
  }
  return {};
}

Status check_steering(const CommandLine& line) {
  constexpr const char* kHint = "see prof-run --help";
  const std::vector<std::string> words = line.rest();
  const std::string expected = std::string(kControlWordsExpected) + " expected";
  for (const std::string& option : line.given()) {
    if (option != "--pid") return Error{"cannot be combined with " + option, "--pid", kHint};
  }
  if (words.empty()) return Error{expected, "--pid", kHint};
  if (!is_control_word(words.front()))
    return Error{"not understood; " + expected, "--pid: " + words.front(), kHint};
  if (words.size() > 1)
    return Error{"one command is expected", "--pid: " + words[0] + " " + words[1], kHint};
  return {};
}

Manual run_manual() {
  RunOptions options;
  const auto line = run_command_line(options);
  return {.program = line->program(),
          .brief = on_one_line(kBrief),
          .arguments = kArguments,
          .argument = {.kind = Values::Kind::kCommand},
          .options = line->manual_options(),
          .sections = {{"STEERING A RUN",
                        {{std::string("prof-run ") + kSteering +
                              " sends one command to a program that runs under prof-run --capture "
                              "control, and prints its answer. Only the program's own user may.",
                          ""}}},
                       {"EXIT STATUS", {{"The exit code is " + on_one_line(kExitCode), ""}}},
                       see_also("prof-report(1), prof-import(1)")}};
}

}  // namespace prof::tools
