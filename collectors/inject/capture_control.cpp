// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// When a capture starts and ends, see capture_control.hpp and libprof/control/collector_api.hpp.
#include "collectors/inject/capture_control.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/cupti/collector.hpp"
#include "collectors/inject/config.hpp"
#include "collectors/inject/session.hpp"
#include "collectors/inject/standby.hpp"
#include "collectors/inject/window_signal.hpp"
#include "collectors/inject/windows.hpp"
#include "libprof/control/stderr_message.hpp"

namespace prof::collectors {
namespace {

/// What the process is doing. Changed by compare-exchange: the driver may call InitializeInjection
/// on a thread that is just starting a capture, where a mutex would deadlock.
enum class State : std::uint8_t { kIdle, kStarting, kRunning, kBusy, kEnded, kDead };

/// How long the program's exit waits for a capture that makes no progress towards its end.
constexpr std::int64_t kExitPatienceNs = 10'000'000'000;

/// Of all windows.
struct WindowFiles {
  CaptureConfig config;
  std::shared_ptr<CaptureOutput> shared;  ///< Null: each has files of its own.
};

constinit std::atomic<State> g_state{State::kIdle};
constinit std::atomic<bool> g_ever_started{false};
constinit std::atomic<bool> g_handlers_set{false};
constinit std::atomic<bool> g_print_closing_line{false};
constinit std::atomic<bool> g_automatic{false};  ///< A capture starts with the driver.
constinit std::uint32_t g_sessions = 0;          ///< Changed only in kStarting, like the next ones.
constinit std::atomic<Session*> g_session{nullptr};  ///< Complete; never freed.
constinit Session* g_ended_session = nullptr;        ///< The one before it.
constinit Standby* g_standby = nullptr;              ///< Null: none; never freed.
constinit std::atomic<Windows*> g_windows{nullptr};  ///< The same.
constinit WindowFiles* g_window_files = nullptr;     ///< Once CUDA has started; never freed.
constinit pid_t g_pid = 0;
constinit bool g_keep_attached = false;

constexpr const char* kWindows =
    "prof-run --capture (PROF_CAPTURE) says when this program is captured";
constexpr const char* kForked =
    "a capture was running, or the process stood by for one, when it was forked";

bool move_state(State from, State to) { return g_state.compare_exchange_strong(from, to); }

CaptureConfig environment_config() {
  std::vector<std::string> complaints;
  CaptureConfig config =
      read_config([](const char* name) { return std::getenv(name); }, complaints);
  for (const std::string& line : complaints) print_message(line);
  return config;
}

void on_fork() {
  fork_prepare();
  if (Windows* windows = g_windows.load()) windows->lock();
}

void on_fork_in_parent() {
  if (Windows* windows = g_windows.load()) windows->unlock();
  fork_parent();
  if (g_state.load() == State::kRunning) global().losses.add(Loss::kForkedChild);
}

void on_fork_in_child() {
  const bool goes_on = !g_ever_started.load();
  if (Windows* windows = g_windows.load()) windows->unlock();
  fork_child(goes_on);
  if (goes_on) return;
  g_state.store(State::kDead);
  g_window_triggers.store(nullptr);
  stop_listening();
}

void set_handlers_once() {
  if (g_handlers_set.exchange(true)) return;
  // After loading libcupti, so that these run before its own exit handlers.
  std::atexit(end_capture_at_exit);
  std::at_quick_exit(end_capture_at_exit);
}

ProfCollectorResult result_of(StartFailure where) {
  if (where == StartFailure::kOutput) return kProfCollectorOutput;
  if (where == StartFailure::kOther) return kProfCollectorFailed;
  switch (cupti_driver().failure()) {
    case DriverFailure::kNoCupti:
      return kProfCollectorNoCupti;
    case DriverFailure::kNoDriver:
      return kProfCollectorNoDriver;
    case DriverFailure::kHeldByOther:
      return kProfCollectorHeldByOther;
    case DriverFailure::kNoPermission:
      return kProfCollectorNoPermission;
    default:
      return kProfCollectorFailed;
  }
}

/// Only in State::kStarting.
Status stand_by(const CaptureConfig& config, Watch watch = {.graphs = true},
                std::shared_ptr<CaptureOutput> shared = nullptr) {
  if (g_standby != nullptr) return {};
  g_pid = getpid();
  g_ever_started.store(true);
  auto* const standby = new Standby;  // Not freed in any case: CUPTI may still call.
  PROF_TRY(standby->start(config, watch, std::move(shared)));
  g_standby = standby;
  return {};
}

/// A capture can do without. Only in State::kStarting.
void stand_by_if_asked(const CaptureConfig& config) {
  if (!config.stands_by.value_or(false)) return;
  if (Status status = stand_by(config); !status) {
    print_message("CUDA graphs made before a capture stay unknown: " + status.error().to_line());
  }
}

/// After a capture, or where one could not start.
void stand_by_again() {
  if (g_standby == nullptr) return;
  if (Status status = g_standby->resume(); !status) print_message(status.error().to_line());
}

/// Only in State::kStarting.
ProfCollectorResult start_session(const CaptureConfig& config, Session::Start start,
                                  std::string& message) {
  try {
    start.number = g_sessions;
    start.standby = g_standby;
    auto* session = new Session;
    StartFailure where = StartFailure::kOther;
    g_pid = getpid();
    g_ever_started.store(true);
    if (Status status = session->start(config, std::move(start), where); !status) {
      message = status.error().to_line();
      const ProfCollectorResult result = result_of(where);
      delete session;
      stand_by_again();
      g_state.store(State::kIdle);
      return result;
    }
    ++g_sessions;
    // Another thread may still ask the one that has just ended for its counts.
    delete std::exchange(g_ended_session, g_session.exchange(session));
    g_print_closing_line.store(!config.quiet);
    set_handlers_once();
    g_state.store(State::kRunning);
    return kProfCollectorOk;
  } catch (const std::exception& failure) {
    message = std::string("could not start: ") + failure.what();
    g_state.store(State::kIdle);
    return kProfCollectorFailed;
  }
}

/// Only in State::kBusy.
ProfCollectorResult stop_session(Session::End end, std::string& message,
                                 const std::string& closer = {}) {
  ProfCollectorResult result = kProfCollectorOk;
  try {
    if (Status status = g_session.load()->stop(end, !g_keep_attached, closer); !status) {
      message = status.error().to_line();
      result = kProfCollectorOutput;
    }
    const std::string line = g_print_closing_line.load() ? g_session.load()->closing_line() : "";
    if (!line.empty()) print_message(line);
  } catch (const std::exception& failure) {
    message = std::string("could not stop: ") + failure.what();
    result = kProfCollectorFailed;
  }
  return result;
}

/// Waits while another thread starts, stops or flushes, until ten seconds pass without progress;
/// true: a capture is running and is now ours.
bool take_running() {
  std::uint64_t seen = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (move_state(State::kRunning, State::kBusy)) return true;
    Session* session = g_session.load();
    if (const std::uint64_t now = session == nullptr ? 0 : session->progress(); now != seen) {
      seen = now;
      i = 0;
    }
    const State state = g_state.load();
    if (state == State::kIdle || state == State::kEnded || state == State::kDead) return false;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

/// Kernels launched in the open window.
std::uint64_t launches_of_window() {
  Session* session = g_session.load();
  return g_state.load() == State::kRunning && session != nullptr ? session->launches() : 0;
}

/// The process's files for the next window.
std::shared_ptr<CaptureOutput> output_of_window() {
  if (g_window_files->shared != nullptr) return g_window_files->shared;
  return std::make_shared<CaptureOutput>(g_window_files->config, now_ns(), g_sessions + 1, false);
}

bool open_window(const std::string& opener) {
  if (!move_state(State::kIdle, State::kStarting)) return false;
  Session::Start start{.begin = Session::Begin::kWithWork, .window = Session::Window{opener}};
  std::string message;
  start.output = output_of_window();
  if (start_session(g_window_files->config, std::move(start), message) == kProfCollectorOk)
    return true;
  print_message("a window could not be opened (" + opener + "): " + message);
  return false;
}

void close_window(const std::string& closer) {
  if (!take_running()) return;  // The process ends.
  std::string message;
  stop_session(Session::End::kStop, message, closer);
  if (!message.empty()) print_message(message);
  stand_by_again();
  g_state.store(State::kIdle);
}

/// Before it ends, nothing is between windows any more.
void end_standby() {
  if (g_standby == nullptr || !move_state(State::kIdle, State::kStarting)) return;
  g_standby->end();
  g_state.store(State::kIdle);
}

/// Between windows as asked for, or with what CUPTI can tell.
Status stand_by_for_windows(const CaptureConfig& config) {
  Watch watch{.graphs = config.stands_by.value_or(true), .profiler = config.windows.profiler_api};
  if (watch.graphs) {
    Status status = stand_by(config, watch, g_window_files->shared);
    if (status) return {};
    print_message("CUDA graphs made between windows stay unknown: " + status.error().to_line());
    watch.graphs = false;
  }
  return watch.any() ? stand_by(config, watch, nullptr) : Status{};
}

/// Only in State::kStarting. An error: there can be no window.
Status prepare_windows(const CaptureConfig& config) {
  const bool has_own_files = has_window_number(config.output);
  if (!config.stream.empty() && has_own_files != has_window_number(config.stream)) {
    return Error{"only one of the trace and the text form has %n in its name", config.stream,
                 "give each window its own files, or none"};
  }
  g_window_files = new WindowFiles{config, nullptr};
  auto output = std::make_shared<CaptureOutput>(config, now_ns(), 1, !has_own_files);
  PROF_TRY(output->files().prepare());
  if (!has_own_files) g_window_files->shared = std::move(output);
  return stand_by_for_windows(config);
}

void start_windows(const CaptureConfig& config) {
  expect_windows();
  Windows* const windows = g_windows.load();
  g_pid = getpid();
  g_ever_started.store(true);
  const Status status = prepare_windows(config);
  g_state.store(State::kIdle);
  if (!status) {
    g_window_triggers.store(nullptr);
    g_window_files = nullptr;
    return print_message("nothing is captured: " + status.error().to_line());
  }
  set_handlers_once();
  if (config.windows.signal != 0 && !config.quiet) {
    print_message("a window opens and closes with each kill -" +
                  std::to_string(config.windows.signal) + " " + std::to_string(g_pid));
  }
  windows->start({open_window, close_window, [] { return launches_of_window(); }, end_standby});
}

/// On a thread of our own, when the process ends.
void end_windows() {
  if (g_window_files == nullptr) return;
  const bool is_quiet = g_window_files->config.quiet;
  if (CaptureOutput* shared = g_window_files->shared.get()) {
    shared->end();
    const std::string line = shared->captures() == 0 || is_quiet ? "" : shared->closing_line();
    if (!line.empty()) print_message(line);
  }
  const std::string missed = g_windows.load()->what_never_came();
  if (!missed.empty()) print_message(missed);
}

void give_message(const std::string& text, char* message, std::size_t bytes) {
  if (message == nullptr || bytes == 0) return;
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

std::int32_t give(ProfCollectorResult result, const std::string& text, char* message,
                  std::size_t bytes) {
  give_message(text, message, bytes);
  return result;
}

std::int32_t api_start(const ProfCollectorOptions* options, char* message, std::size_t bytes) {
  if (g_state.load() == State::kDead) {
    return give(kProfCollectorForked, kForked, message, bytes);
  }
  if (options == nullptr || options->struct_size < sizeof(ProfCollectorOptions) ||
      options->api < 0 || options->api > 3) {
    return give(kProfCollectorInvalidArgument, "invalid options", message, bytes);
  }
  watch_forks();
  if (g_automatic.load()) {
    return give(kProfCollectorAlreadyStarted,
                "the whole program is captured already, from its first CUDA call on (prof-run or "
                "LD_PRELOAD)",
                message, bytes);
  }
  if (g_windows.load() != nullptr)
    return give(kProfCollectorAlreadyStarted, kWindows, message, bytes);
  if (!move_state(State::kIdle, State::kStarting)) {
    const std::string where =
        g_state.load() == State::kRunning ? " to " + g_session.load()->output() : "";
    return give(kProfCollectorAlreadyStarted, "a capture is already running" + where, message,
                bytes);
  }
  std::string text;
  ProfCollectorResult result = kProfCollectorFailed;
  try {
    CaptureConfig config = environment_config();
    if (options->output != nullptr) config.output = options->output;
    if (options->stream != nullptr) config.stream = options->stream;
    if (options->api != 0) {
      constexpr ApiMode kModes[] = {ApiMode::kLaunch, ApiMode::kAll, ApiMode::kNone};
      config.api = kModes[options->api - 1];
    }
    if (options->force != 0) config.force = true;
    if (options->queue_bytes != 0) config.queue_bytes = options->queue_bytes;
    if (options->buffer_bytes != 0) config.buffer_bytes = options->buffer_bytes;
    config.quiet = options->verbose == 0;
    g_keep_attached = options->keep_attached != 0;
    stand_by_if_asked(config);
    result = start_session(config, {.begin = Session::Begin::kAtOnce}, text);
  } catch (const std::exception& failure) {
    text = std::string("could not start: ") + failure.what();
    g_state.store(State::kIdle);
  }
  return give(result, text, message, bytes);
}

std::int32_t api_standby(char* message, std::size_t bytes) {
  if (g_state.load() == State::kDead) {
    return give(kProfCollectorForked, kForked, message, bytes);
  }
  watch_forks();
  if (g_automatic.load() || !move_state(State::kIdle, State::kStarting)) {
    return give(kProfCollectorAlreadyStarted, "a capture is already running", message, bytes);
  }
  std::string text;
  ProfCollectorResult result = kProfCollectorOk;
  try {
    if (Status status = stand_by(environment_config()); !status) {
      text = status.error().to_line();
      result = result_of(StartFailure::kDriver);
    }
  } catch (const std::exception& failure) {
    text = std::string("could not start: ") + failure.what();
    result = kProfCollectorFailed;
  }
  g_state.store(State::kIdle);
  return give(result, text, message, bytes);
}

std::int32_t not_running(char* message, std::size_t bytes) {
  if (g_state.load() == State::kDead) {
    return give(kProfCollectorForked, kForked, message, bytes);
  }
  return give(kProfCollectorNotStarted, "no capture is running", message, bytes);
}

std::int32_t api_stop(char* message, std::size_t bytes) {
  if (!take_running()) return not_running(message, bytes);
  std::string text;
  const ProfCollectorResult result = stop_session(Session::End::kStop, text);
  stand_by_again();
  g_state.store(State::kIdle);
  return give(result, text, message, bytes);
}

std::int32_t api_flush(char* message, std::size_t bytes) {
  if (!take_running()) return not_running(message, bytes);
  std::string text;
  ProfCollectorResult result = kProfCollectorOk;
  try {
    if (Status status = g_session.load()->flush(); !status) {
      text = status.error().to_line();
      result = kProfCollectorOutput;
    }
  } catch (const std::exception& failure) {
    text = failure.what();
    result = kProfCollectorFailed;
  }
  g_state.store(State::kRunning);
  return give(result, text, message, bytes);
}

std::int32_t api_status(ProfCollectorStatus* status) {
  if (status == nullptr || status->struct_size < sizeof(ProfCollectorStatus))
    return kProfCollectorInvalidArgument;
  const std::size_t size = status->struct_size;
  *status = ProfCollectorStatus{};
  status->struct_size = size;
  const bool is_running = take_running();
  status->running = is_running ? 1 : 0;
  // The last capture's counts stay readable after its end.
  if (Session* session = g_session.load(); session != nullptr && g_state.load() != State::kDead) {
    const CollectorCounts counts = session->counts();
    status->kernels = counts.kernels;
    status->copies = counts.copies;
    status->sets = counts.sets;
    status->launches = counts.launches;
    status->lost = session->lost();
    give_message(session->output(), status->output, sizeof status->output);
  }
  if (is_running) g_state.store(State::kRunning);
  return kProfCollectorOk;
}

constexpr ProfCollectorApi kApi{sizeof(ProfCollectorApi),
                                1,
                                PROF_VERSION_STRING,
                                api_start,
                                api_stop,
                                api_flush,
                                api_status,
                                api_standby};

}  // namespace

void watch_forks() {
  static constinit std::atomic<bool> is_watching{false};
  if (!is_watching.exchange(true)) pthread_atfork(on_fork, on_fork_in_parent, on_fork_in_child);
}

void expect_windows() {
  if (g_windows.load() != nullptr) return;
  CaptureSpec spec;
  const char* words = std::getenv("PROF_CAPTURE");
  if (words == nullptr || !add_capture_specs(words, spec) || spec.words.empty()) return;
  g_windows.store(new Windows(std::move(spec)));
  g_window_triggers.store(g_windows.load(), std::memory_order_release);
}

void expect_automatic_capture() { g_automatic.store(true); }

void start_capture_from_environment() {
  watch_forks();
  g_automatic.store(false);  // From here on it is running or has failed.
  if (!move_state(State::kIdle, State::kStarting)) return;
  try {
    const CaptureConfig config = environment_config();
    if (config.manual) {
      stand_by_if_asked(config);
      g_state.store(State::kIdle);
      return;
    }
    if (!config.windows.words.empty()) return start_windows(config);
    std::string message;
    if (start_session(config, {.begin = Session::Begin::kWithWork}, message) != kProfCollectorOk)
      print_message("nothing is captured: " + message);
  } catch (const std::exception& failure) {
    print_message(std::string("nothing is captured: ") + failure.what());
    g_state.store(State::kIdle);
  }
}

/// CUDA is in the process, yet no capture started, because the variable that the driver reads is
/// gone.
void report_cleared_environment() {
  if (!g_automatic.exchange(false) || std::getenv("CUDA_INJECTION64_PATH") != nullptr) return;
  if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) == nullptr) return;
  print_message(
      "nothing is captured: the program removed CUDA_INJECTION64_PATH from its environment before "
      "it "
      "started CUDA");
}

void end_capture_at_exit() {
  if (!g_ever_started.load() && g_state.load() == State::kIdle) report_cleared_environment();
  if (g_state.load() == State::kDead || !g_ever_started.load() || getpid() != g_pid) return;
  if (Windows* windows = g_windows.load()) windows->end();
  const bool is_running = take_running();
  if (!is_running && g_state.load() != State::kIdle) {
    const State state = g_state.load();
    if (state != State::kBusy && state != State::kStarting) return;
    print_message(
        "the capture could not be finished: another thread is still busy with it; its file holds "
        "what "
        "was written until now");
    return;
  }
  if (!is_running && (g_window_files == nullptr || !move_state(State::kIdle, State::kBusy))) return;
  // The program may end here for any reason and in any state, even inside a CUDA callback: what
  // this waits for may never come.
  const Patience patience{[] {
                            const Session* session = g_session.load();
                            return session == nullptr ? 0 : session->progress();
                          },
                          kExitPatienceNs};
  const bool done = run_on_internal_thread(
      "prof-exit",
      [is_running] {
        std::string message;
        if (is_running) stop_session(Session::End::kExit, message, "exit");
        if (!message.empty()) print_message(message);
        end_windows();
      },
      &patience);
  if (!done) {
    const Session* session = g_session.load();
    print_message((session == nullptr ? std::string("the trace") : session->output()) +
                  ": could not be finished, because CUPTI or the disk does not answer; it holds "
                  "what was written until now");
  }
  g_state.store(State::kEnded);  // The program's later calls find nothing to start or stop.
}

void report_late_launches() {
  if (g_state.load() != State::kEnded || g_session.load() == nullptr || getpid() != g_pid) return;
  const Patience patience{[] { return std::uint64_t{0}; }, kExitPatienceNs};
  run_on_internal_thread(
      "prof-exit",
      [] {
        const std::string line = g_session.load()->report_late_launches();
        if (!line.empty()) print_message(line);
      },
      &patience);
}

const ProfCollectorApi& collector_api() { return kApi; }

}  // namespace prof::collectors
