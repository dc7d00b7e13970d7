// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Automatic start and end of captures, see capture_control.hpp.
#include "collectors/inject/capture_control.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/inject/capture_state.hpp"
#include "collectors/inject/cuda_use.hpp"
#include "collectors/inject/window_control.hpp"
#include "libprof/base/own_descriptors.hpp"
#include "libprof/control/cuda_driver.hpp"
#include "libprof/control/stderr_message.hpp"

namespace prof::collectors {
namespace {

/// Time that the program's exit waits for a capture that makes no progress towards its end.
constexpr std::int64_t kExitPatienceNs = 10'000'000'000;
/// The exit has waited long enough: the session stays with the thread that ends it.
bool g_has_given_up = false;  // used by the exiting thread only

void on_fork() {
  fork_prepare();
  lock_windows();
}

void on_fork_in_parent() {
  unlock_windows();
  fork_parent();
  if (g_captures.state.load() == State::kRunning) global().losses.add(Loss::kForkedChild);
}

void on_fork_in_child() {
  const bool goes_on = !g_captures.ever_started.load();
  close_all_own();
  unlock_windows();
  fork_child(goes_on);
  if (goes_on) return;
  g_captures.state.store(State::kDead);
  forget_windows();
}

}  // namespace

void watch_forks() {
  static constinit std::atomic<bool> is_watching{false};
  if (!is_watching.exchange(true)) pthread_atfork(on_fork, on_fork_in_parent, on_fork_in_child);
}

void expect_automatic_capture() { g_captures.is_automatic.store(true); }

void start_capture_from_environment() {
  watch_forks();
  g_captures.is_automatic.store(false);  // From here on it is running or has failed.
  if (!move_state(State::kIdle, State::kStarting)) return;
  try {
    const CaptureConfig config = environment_config();
    if (config.manual) {
      stand_by_if_asked(config);
      g_captures.state.store(State::kIdle);
      return;
    }
    if (!config.windows.words.empty()) {
      if (const Status status = start_windows(config); !status)
        print_message("nothing is captured: " + status.error().to_line());
      return;
    }
    std::string message;
    if (start_session(config, {.begin = Session::Begin::kWithWork}, message) != kProfCollectorOk)
      print_message("nothing is captured: " + message);
  } catch (const std::exception& failure) {
    print_message(std::string("nothing is captured: ") + failure.what());
    g_captures.state.store(State::kIdle);
  }
}

/// Reports that no driver was found in a program that was to use CUDA. Under prof-run, prof-run
/// reports it.
void report_missing_driver() {
  if (std::getenv("PROF_RUN_ID") != nullptr || !is_made_for_cuda()) return;
  if (const auto why = why_no_driver()) print_message("nothing is captured: " + *why);
}

/// Reports that the driver was to start a capture and never did: it is missing, or the variable
/// that it reads is gone.
void report_no_start() {
  if (!g_captures.is_automatic.exchange(false)) return;
  if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) == nullptr) return report_missing_driver();
  if (std::getenv("CUDA_INJECTION64_PATH") != nullptr) return;
  print_message(
      "nothing is captured: the program removed CUDA_INJECTION64_PATH from its environment before "
      "it "
      "started CUDA");
}

void end_capture_at_exit() {
  if (!g_captures.ever_started.load() && g_captures.state.load() == State::kIdle) report_no_start();
  if (g_captures.state.load() == State::kDead || !g_captures.ever_started.load() ||
      getpid() != g_captures.pid)
    return;
  stop_windows();
  const bool is_running = take_running();
  if (!is_running && g_captures.state.load() != State::kIdle) {
    const State state = g_captures.state.load();
    if (state != State::kBusy && state != State::kStarting) return;
    print_message(
        "the capture could not be finished: another thread is still busy with it; its file holds "
        "what "
        "was written until now");
    return;
  }
  if (!is_running && (!windows_have_started() || !move_state(State::kIdle, State::kBusy))) return;
  // The program may end here for any reason and in any state, even inside a CUDA callback: the
  // awaited event may never come.
  const StallTimeout stall_timeout{[] {
                                     const Session* session = g_captures.session.load();
                                     return session == nullptr ? 0 : session->progress();
                                   },
                                   kExitPatienceNs};
  const bool done = run_on_internal_thread(
      "prof-exit",
      [is_running] {
        std::string message;
        if (is_running) stop_session(Session::End::kExit, message, "exit");
        if (!message.empty()) print_message(message);
        // It writes the texts that it sees to the output that is closed next.
        if (g_captures.standby != nullptr) g_captures.standby->finish();
        finish_windows();
      },
      &stall_timeout);
  if (!done) {
    g_has_given_up = true;
    const Session* session = g_captures.session.load();
    print_message((session == nullptr ? std::string("the trace") : session->output()) +
                  ": could not be finished, because CUPTI or the disk does not answer; it holds "
                  "what was written until now");
  }
  g_captures.state.store(
      State::kEnded);  // The program's later calls find nothing to start or stop.
}

void report_late_launches() {
  if (g_captures.state.load() != State::kEnded || g_captures.session.load() == nullptr ||
      g_has_given_up || getpid() != g_captures.pid)
    return;
  const StallTimeout stall_timeout{writes_done, kExitPatienceNs};
  run_on_internal_thread(
      "prof-exit",
      [] {
        const std::string line = g_captures.session.load()->report_late_launches();
        if (!line.empty()) print_message(line);
      },
      &stall_timeout);
}

}  // namespace prof::collectors
