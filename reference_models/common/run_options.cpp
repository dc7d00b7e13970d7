// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See run_options.hpp.
#include "common/run_options.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace ref {
namespace {

using prof::tools::CommandLine;
using Action = RunOptions::Action;

struct ActionFlag {
  Action action;
  const char* flag;
  const char* help;
  bool counts_steps = false;  // --warmup and --steps mean something to it
};

// Each selects what the program does instead of training.
constexpr ActionFlag kActionFlags[] = {
    {Action::check, "--check",
     "compare loss and gradients with a CPU reference, by default at a small size"},
    {Action::list_gradient_terms, "--list-gradient-terms",
     "print the names that --drop-gradient takes"},
    {Action::overfit, "--overfit", "train at a small size until the model overfits the batch"},
    {Action::deterministic, "--deterministic",
     "train twice from the same start and compare the bits of all parameters", true},
};

bool is_given(const std::vector<std::string>& words, const char* flag) {
  return std::find(words.begin(), words.end(), flag) != words.end();
}

// Before options are parsed, so that sizes on the command line prevail.
void choose_sizes(Workload& workload, const std::vector<std::string>& words) {
  if (is_given(words, "--check") || is_given(words, "--list-gradient-terms")) {
    workload.use_check_sizes();
  } else if (is_given(words, "--overfit")) {
    workload.use_overfit_sizes();
  }
}

void declare(CommandLine& line, RunOptions& options, std::vector<std::string>& actions) {
  line.number("--warmup", options.warmup, "steps before the counted ones, outside step ranges");
  line.number("--steps", options.steps, "counted steps, each in a range of its own");
  for (const ActionFlag& choice : kActionFlags) {
    line.flag(
        choice.flag,
        [&options, &actions, &choice] {
          options.action = choice.action;
          actions.emplace_back(choice.flag);
        },
        choice.help);
  }
  line.value({"--drop-gradient", "TERM", "with --check: omit this gradient term"},
             options.drop_gradient);
  line.value({"--ledger", "FILE",
              "write what a step computes, op by op, as JSON to this file (- is stdout); needs no "
              "GPU"},
             options.ledger_file);
}

std::string find_mistake(const Workload& workload, const RunOptions& options,
                         const std::vector<std::string>& actions) {
  if (actions.size() > 1) return actions[0] + " and " + actions[1] + " are mutually exclusive";
  if (options.warmup < 0) return "--warmup must be 0 or more";
  if (options.steps < 0 || (options.steps == 0 && options.warmup == 0)) {
    return "nothing to do: --steps " + std::to_string(options.steps);
  }
  // Sizes before terms: the list of terms follows from the sizes.
  if (std::string mistake = workload.find_mistake(); !mistake.empty()) return mistake;
  if (options.drop_gradient.empty()) return {};
  if (options.action != Action::check) return "--drop-gradient needs --check";
  const std::vector<std::string> terms = workload.gradient_terms();
  if (std::find(terms.begin(), terms.end(), options.drop_gradient) == terms.end()) {
    return "unknown gradient term '" + options.drop_gradient +
           "'; --list-gradient-terms lists them";
  }
  return {};
}

std::string find_useless_steps(const CommandLine& line, const RunOptions& options) {
  for (const ActionFlag& choice : kActionFlags) {
    if (choice.action != options.action || choice.counts_steps) continue;
    for (const char* option : {"--warmup", "--steps"}) {
      if (line.given(option)) return std::string(option) + " has no effect with " + choice.flag;
    }
  }
  return {};
}

}  // namespace

std::optional<RunOptions> parse_run_options(Workload& workload, int argc, char** argv,
                                            int* exit_code) {
  choose_sizes(workload, std::vector<std::string>(argv + 1, argv + argc));
  const std::string program = workload.program();
  RunOptions options;
  std::vector<std::string> actions;
  CommandLine line(program, workload.description());
  workload.declare_options(line);
  declare(line, options, actions);
  const CommandLine::Parsed parsed = line.parse(argc, argv);
  if (parsed.answer) {
    std::fputs(parsed.answer->c_str(), stdout);
    *exit_code = 0;
    return std::nullopt;
  }
  std::string mistake;
  if (parsed.mistake) {
    mistake = *parsed.mistake + " (--help lists the options)";
  } else {
    if (line.given("--ledger")) {
      options.action = Action::ledger;
      actions.emplace_back("--ledger");
    }
    mistake = find_mistake(workload, options, actions);
    if (mistake.empty()) mistake = find_useless_steps(line, options);
  }
  if (mistake.empty()) return options;
  std::fprintf(stderr, "%s: %s\n", program.c_str(), mistake.c_str());
  *exit_code = 2;
  return std::nullopt;
}

}  // namespace ref
