// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/window_control.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "collectors/core/internal_thread.hpp"
#include "collectors/core/signal_safe_mutex.hpp"
#include "collectors/cupti/collector.hpp"
#include "collectors/inject/capture_state.hpp"
#include "collectors/inject/kept_files.hpp"
#include "collectors/windows/window_commands.hpp"
#include "collectors/windows/window_runner.hpp"
#include "collectors/windows/window_signal.hpp"
#include "libprof/base/clock.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/control/placeholders.hpp"
#include "libprof/control/stderr_message.hpp"

namespace prof::collectors {
namespace {

/// State shared by all windows.
struct WindowFiles {
  CaptureConfig config;
  std::shared_ptr<CaptureOutput> shared;  ///< Null: each has files of its own.
  WindowRunner* windows = nullptr;
  std::uint32_t opened = 0;
  KeptFiles kept;  ///< Files of windows that have files of their own.
  std::atomic<bool> is_finished{false};
  SignalSafeMutex mutex = {};
  std::string last = {};  ///< The description of the last window; under the mutex.
};

constinit std::atomic<const Collector*> g_collector{nullptr};  ///< The open window's.
constinit std::atomic<WindowRunner*> g_windows{nullptr};       ///< Null: none; never freed.
/// Null until CUDA has started; never freed.
constinit std::atomic<WindowFiles*> g_window_files{nullptr};

/// Read by the program, which may be written in another language.
constinit std::int32_t g_wants_marks = 1;

void want_marks(bool wants) { __atomic_store_n(&g_wants_marks, wants ? 1 : 0, __ATOMIC_RELAXED); }

WindowFiles& files() { return *g_window_files.load(); }

/// Kernels launched in the open window.
std::uint64_t launches_of_window() {
  const Collector* collector = g_collector.load();
  return collector != nullptr ? collector->counts().launches : 0;
}

/// The process's output for the next window.
std::shared_ptr<CaptureOutput> output_of_window() {
  if (files().shared != nullptr) return files().shared;
  return std::make_shared<CaptureOutput>(files().config, now_ns(), files().opened + 1, false);
}

bool open_window(const std::string& opener) {
  if (!move_state(State::kIdle, State::kStarting)) return false;
  Session::Start start{.begin = Session::Begin::kWithWork,
                       .window = Session::Window{opener, files().opened + 1}};
  std::string message;
  start.output = output_of_window();
  if (start_session(files().config, std::move(start), message) == kProfCollectorOk) {
    ++files().opened;
    g_collector.store(&g_captures.session.load()->collector());
    want_marks(true);
    return true;
  }
  print_message("a window could not be opened (" + opener + "): " + message);
  return false;
}

/// Describes a session, which nobody else changes meanwhile.
std::string description_of(const Session& session, std::string_view state) {
  const CollectorCounts counts = session.counts();
  return "window " + std::to_string(files().opened) + " is " + std::string(state) + ": " +
         count_text_plain(counts.kernels, "kernel", "kernels") + ", " +
         count_text_plain(counts.copies, "copy", "copies") + ", " + std::to_string(session.lost()) +
         " lost; " + session.output();
}

void keep_files() {
  const CaptureFiles& written = g_captures.session.load()->files();
  if (written.is_there()) files().kept.add(written.path(), written.stream_path());
}

void close_running(const std::string& closer) {
  std::string message;
  stop_session(Session::End::kStop, message, closer);
  if (!message.empty()) print_message(message);
  {
    std::string text = description_of(*g_captures.session.load(), "closed");
    const std::lock_guard lock(files().mutex);
    files().last = std::move(text);
  }
  if (files().shared == nullptr) run_on_internal_thread("prof-keep", keep_files);
  stand_by_again();
  g_captures.state.store(State::kIdle);
}

void close_window(const std::string& closer) {
  want_marks(false);
  g_collector.store(nullptr);
  if (take_running()) close_running(closer);
}

/// Ends the standby: nothing runs between windows any more. False: another thread holds the state.
bool end_standby() {
  if (g_captures.standby == nullptr) return true;
  if (!move_state(State::kIdle, State::kStarting)) return false;
  g_captures.standby->end();
  g_captures.state.store(State::kIdle);
  return true;
}

/// Starts the standby between windows as requested, or with the events that CUPTI can report.
Status stand_by_for_windows(const CaptureConfig& config) {
  Watch watch{.graphs = config.stands_by.value_or(true), .profiler = config.windows.profiler_api};
  if (watch.graphs) {
    Status status = stand_by(config, watch, files().shared);
    if (status) return {};
    print_message("CUDA graphs made between windows stay unknown: " + status.error().to_line());
    watch.graphs = false;
  }
  return watch.any() ? stand_by(config, watch, nullptr) : Status{};
}

/// Only in State::kStarting. An error: no window is possible.
Status prepare_windows(const CaptureConfig& config) {
  const bool has_own_files = has_window_number(config.output);
  if (config.max_bytes != 0 && !has_own_files) {
    return Error{"holds all windows, none of which can be removed from it", config.output,
                 "with a limit for the size, put %n into its name"};
  }
  if (!config.stream.empty() && has_own_files != has_window_number(config.stream)) {
    return Error{"only one of the trace and the text form has %n in its name", config.stream,
                 "give each window its own files, or none"};
  }
  g_window_files.store(
      new WindowFiles{config, nullptr, g_windows.load(), 0, KeptFiles(config.max_bytes)});
  auto output = std::make_shared<CaptureOutput>(config, now_ns(), 1, !has_own_files);
  PROF_TRY(output->files().prepare());
  if (!has_own_files) files().shared = std::move(output);
  return stand_by_for_windows(config);
}

Status flush_window() {
  if (!take_running()) return Error{"no window is open", "flush", ""};
  Status status;
  try {
    status = g_captures.session.load()->flush();
  } catch (const std::exception& failure) {
    status = Error{failure.what(), "flush", ""};
  }
  g_captures.state.store(State::kRunning);
  return status;
}

/// The description for prof-run --pid.
std::string describe() {
  if (take_running()) {
    std::string text = description_of(*g_captures.session.load(), "open");
    g_captures.state.store(State::kRunning);
    return text;
  }
  const std::lock_guard lock(files().mutex);
  return files().last.empty() ? "no window was opened yet" : files().last;
}

void listen(const CaptureConfig& config) {
  if (!config.windows.control) return;
  WindowRunner* const windows = g_windows.load();
  const Status status =
      serve_commands({[windows] { return windows->is_open(); },
                      [windows](bool is_on) { windows->control(is_on); }, flush_window, describe});
  if (!status) return print_message("commands are not accepted: " + status.error().to_line());
  if (!config.quiet) {
    print_message("a window opens and closes by prof-run --pid " + std::to_string(g_captures.pid) +
                  " start|stop");
  }
}

/// Ranges are noted from here on.
void expect(CaptureSpec spec) {
  want_marks(false);
  g_windows.store(new WindowRunner(std::move(spec)));
  g_window_triggers.store(g_windows.load(), std::memory_order_release);
}

/// Nothing of it is freed: threads of the program may be using it.
void forget_expected() {
  g_window_triggers.store(nullptr);
  stop_listening();
  g_windows.store(nullptr);
  want_marks(true);
}

}  // namespace

void expect_windows() {
  CaptureSpec spec;
  const char* words = std::getenv("PROF_CAPTURE");
  if (words == nullptr || !add_capture_specs(words, spec) || spec.words.empty()) return;
  expect(std::move(spec));
}

Status start_windows(const CaptureConfig& config) {
  if (!has_windows()) expect(config.windows);
  WindowRunner* const windows = g_windows.load();
  g_captures.pid = getpid();
  g_captures.ever_started.store(true);
  Status status = prepare_windows(config);
  g_captures.state.store(State::kIdle);
  if (!status) {
    g_window_files.store(nullptr);
    forget_expected();
    return status;
  }
  set_exit_handlers();
  if (config.windows.signal != 0 && !config.quiet) {
    print_message("a window opens and closes with each kill -" +
                  std::to_string(config.windows.signal) + " " + std::to_string(g_captures.pid));
  }
  listen(config);
  windows->start({open_window, close_window, [] { return launches_of_window(); },
                  [] { static_cast<void>(end_standby()); }});
  return {};
}

const std::int32_t* wants_marks() noexcept { return &g_wants_marks; }

bool has_windows() noexcept { return g_windows.load() != nullptr; }

void stop_windows() noexcept {
  stop_commands();
  if (WindowRunner* windows = g_windows.load()) windows->end();
}

bool windows_have_started() noexcept { return g_window_files.load() != nullptr; }

void finish_windows() {
  if (!windows_have_started() || files().is_finished.exchange(true)) return;
  const bool is_quiet = files().config.quiet;
  if (CaptureOutput* shared = files().shared.get()) {
    shared->end();
    const std::string line = shared->captures() == 0 || is_quiet ? "" : shared->closing_line();
    if (!line.empty()) print_message(line);
  }
  if (const std::string removed = files().kept.text(); !removed.empty()) print_message(removed);
  WindowRunner& windows = *files().windows;
  const std::string costs = windows.costs();
  if (files().config.windows.duty && !is_quiet && !costs.empty()) print_message(costs);
  const std::string missed = windows.what_never_came();
  if (!missed.empty()) print_message(missed);
}

bool end_windows() {
  WindowRunner* const windows = g_windows.load();
  if (windows == nullptr || !windows->claim_end()) return false;
  stop_commands();
  if (take_running()) close_running("prof_stop");
  // The standby writes the texts that it sees to the output that is closed then. Whichever thread
  // holds the state ends it, too.
  for (int i = 0; i < 10'000 && !end_standby(); ++i) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  run_on_internal_thread("prof-close", finish_windows);
  forget_expected();
  return true;
}

void lock_windows() noexcept {
  if (WindowRunner* windows = g_windows.load()) windows->lock();
}

void unlock_windows() noexcept {
  if (WindowRunner* windows = g_windows.load()) windows->unlock();
}

void forget_windows() noexcept {
  g_window_triggers.store(nullptr);
  stop_listening();
  forget_commands();
}

}  // namespace prof::collectors
