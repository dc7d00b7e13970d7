// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/run_end.hpp"

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/inject/cuda_use.hpp"
#include "libprof/control/cuda_driver.hpp"
#include "libprof/control/expected_trace.hpp"
#include "libprof/control/stderr_message.hpp"
#include "libprof/control/watcher_page.hpp"

namespace prof::collectors {
namespace {

/// Starting a driver, in order to query why it does not start, takes a second or two.
constexpr std::chrono::seconds kPatience{5};

struct RunEnd {
  pid_t process = 0;
  ExpectedTrace trace;
  bool is_watched = false;
  WatcherPage* page = nullptr;  ///< Null: the watcher is out of reach, or there is none.
};
/// Never freed: it is read in the last of the exit handlers.
constinit RunEnd* g_run_end = nullptr;

std::string text_of_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

/// PROF_RUN_ID is PROCESS-NANOSECONDS.
std::optional<RunEnd> read_run_id(const std::string& run_id) {
  RunEnd run;
  const char* const last = run_id.data() + run_id.size();
  const auto process = std::from_chars(run_id.data(), last, run.process);
  if (process.ec != std::errc() || process.ptr == last || *process.ptr != '-') return std::nullopt;
  const auto since = std::from_chars(process.ptr + 1, last, run.trace.since_ns);
  if (since.ec != std::errc() || since.ptr != last) return std::nullopt;
  return run;
}

std::string why_not_written(RunEnd& run) {
  if (run.page != nullptr) {
    if (std::string why = run.page->ask(kPatience); !why.empty()) return why;
  }
  const auto no_driver = is_made_for_cuda() ? why_no_driver() : std::nullopt;
  return no_driver.value_or(why_perhaps());
}

}  // namespace

void expect_trace_of_run() {
  try {
    const std::string run_id = text_of_variable("PROF_RUN_ID");
    auto run = read_run_id(run_id);
    if (!run || run->process != getpid()) return;
    run->trace.path = text_of_variable("PROF_OUTPUT");
    run->trace.old = text_of_variable("PROF_REPLACE");
    const std::string watcher = text_of_variable(kWatcherVariable);
    run->is_watched = !watcher.empty();
    if (run->is_watched) run->page = WatcherPage::open(watcher.c_str(), run_id);
    if (!run->trace.path.empty()) g_run_end = new RunEnd(*run);
  } catch (const std::exception&) {
    // Out of memory, nothing is reported here.
  }
}

void report_missing_trace() {
  RunEnd* const run = g_run_end;
  if (run == nullptr || run->process != getpid()) return;
  if (run->is_watched && run->page == nullptr) return;  // The watcher reports it.
  try {
    const bool is_recorded =
        was_written(run->trace) ||
        print_message_of("prof-run", no_trace_line(run->trace, why_not_written(*run)));
    if (is_recorded && run->page != nullptr) run->page->settle();
  } catch (const std::exception&) {
    // The watcher reports it.
  }
}

}  // namespace prof::collectors
