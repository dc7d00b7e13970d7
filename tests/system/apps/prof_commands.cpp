// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands of the program that links libprof. Each prints what came of it on stdout.
// clang-format off
//   prof_start PATH [WORD...]   words: force, keep_attached, verbose, api=all, api=none, api=launch
//   prof_start_defaults         prof_start(NULL)
//   prof_standby
//   prof_windows PATH SPEC...   prof_start_windows()
//   prof_wants_marks
//   prof_stop    prof_flush     prof_status    prof_version
// clang-format on
#include <prof/prof.h>

#include <cstdio>
#include <string>

#include "runner.hpp"

namespace {

void tell(const char* what, prof_result result) {
  std::printf("%s: %s%s%s\n", what, prof_strerror(result), result == PROF_OK ? "" : ": ",
              result == PROF_OK ? "" : prof_last_error());
  std::fflush(stdout);
}

void start_profiler(Runner&, const Statement& statement) {
  prof_options options = PROF_OPTIONS_INIT;
  options.output = statement.words.at(1).c_str();
  for (std::size_t i = 2; i < statement.words.size(); ++i) {
    const std::string& word = statement.words[i];
    if (word == "force") options.force = 1;
    if (word == "keep_attached") options.keep_attached = 1;
    if (word == "verbose") options.verbose = 1;
    if (word == "api=launch") options.api = PROF_API_CALLS_LAUNCH;
    if (word == "api=all") options.api = PROF_API_CALLS_ALL;
    if (word == "api=none") options.api = PROF_API_CALLS_NONE;
  }
  tell("start", prof_start(&options));
}

void start_windows(Runner&, const Statement& statement) {
  prof_options options = PROF_OPTIONS_INIT;
  options.output = statement.words.at(1).c_str();
  std::string specs;
  for (std::size_t i = 2; i < statement.words.size(); ++i) specs += statement.words[i] + '\n';
  tell("windows", prof_start_windows(&options, specs.c_str()));
}

void status(Runner&, const Statement&) {
  prof_status status = PROF_STATUS_INIT;
  if (prof_get_status(&status) != PROF_OK) return;
  std::printf("status: running %d kernels %llu copies %llu sets %llu launches %llu lost %llu\n",
              status.running, static_cast<unsigned long long>(status.kernels),
              static_cast<unsigned long long>(status.copies),
              static_cast<unsigned long long>(status.sets),
              static_cast<unsigned long long>(status.launches),
              static_cast<unsigned long long>(status.lost));
  std::fflush(stdout);
}

}  // namespace

void add_prof_commands(CommandTable& table) {
  table["prof_start"] = start_profiler;
  table["prof_start_defaults"] = [](Runner&, const Statement&) {
    tell("start", prof_start(nullptr));
  };
  table["prof_windows"] = start_windows;
  table["prof_wants_marks"] = [](Runner&, const Statement&) {
    std::printf("wants marks: %d\n", prof_wants_marks());
    std::fflush(stdout);
  };
  table["prof_standby"] = [](Runner&, const Statement&) { tell("standby", prof_standby()); };
  table["prof_stop"] = [](Runner&, const Statement&) { tell("stop", prof_stop()); };
  table["prof_flush"] = [](Runner&, const Statement&) { tell("flush", prof_flush()); };
  table["prof_status"] = status;
  table["prof_version"] = [](Runner&, const Statement&) { std::puts(prof_version()); };
}
