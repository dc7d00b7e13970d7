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
#include <string>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/cupti/collector.hpp"
#include "collectors/inject/config.hpp"
#include "collectors/inject/session.hpp"
#include "collectors/inject/standby.hpp"
#include "libprof/control/stderr_message.hpp"

namespace prof::collectors {
namespace {

/// What the process is doing. Changed by compare-exchange: the driver may call InitializeInjection
/// on a thread that is just starting a capture, where a mutex would deadlock.
enum class State : std::uint8_t { kIdle, kStarting, kRunning, kBusy, kEnded, kDead };

/// How long the program's exit waits for a capture that makes no progress towards its end.
constexpr std::int64_t kExitPatienceNs = 10'000'000'000;

constinit std::atomic<State> g_state{State::kIdle};
constinit std::atomic<bool> g_ever_started{false};
constinit std::atomic<bool> g_handlers_set{false};
constinit std::atomic<bool> g_print_closing_line{false};
constinit std::atomic<bool> g_automatic{false};  ///< A capture starts with the driver.
constinit std::uint32_t g_sessions = 0;          ///< Changed only in kStarting, like the next ones.
constinit std::atomic<Session*> g_session{nullptr};  ///< Complete; never freed.
constinit Standby* g_standby = nullptr;              ///< Null: none; never freed.
constinit pid_t g_pid = 0;
constinit bool g_keep_attached = false;

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

void on_fork_in_parent() {
  fork_parent();
  if (g_state.load() == State::kRunning) global().losses.add(Loss::kForkedChild);
}

void on_fork_in_child() {
  const bool goes_on = !g_ever_started.load();
  fork_child(goes_on);
  if (!goes_on) g_state.store(State::kDead);
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
Status stand_by(const CaptureConfig& config) {
  if (g_standby != nullptr) return {};
  g_pid = getpid();
  g_ever_started.store(true);
  auto* const standby = new Standby;  // Not freed in any case: CUPTI may still call.
  PROF_TRY(standby->start(config));
  g_standby = standby;
  return {};
}

/// A capture can do without. Only in State::kStarting.
void stand_by_if_asked(const CaptureConfig& config) {
  if (!config.stands_by) return;
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
ProfCollectorResult start_session(const CaptureConfig& config, Session::Begin begin,
                                  std::string& message) {
  try {
    auto* session = new Session;
    StartFailure where = StartFailure::kOther;
    g_pid = getpid();
    g_ever_started.store(true);
    if (Status status = session->start(config, g_sessions, begin, g_standby, where); !status) {
      message = status.error().to_line();
      const ProfCollectorResult result = result_of(where);
      delete session;
      stand_by_again();
      g_state.store(State::kIdle);
      return result;
    }
    ++g_sessions;
    g_session.store(session);
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
ProfCollectorResult stop_session(Session::End end, std::string& message) {
  ProfCollectorResult result = kProfCollectorOk;
  try {
    if (Status status = g_session.load()->stop(end, !g_keep_attached); !status) {
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
    result = start_session(config, Session::Begin::kAtOnce, text);
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
  if (!is_watching.exchange(true))
    pthread_atfork(fork_prepare, on_fork_in_parent, on_fork_in_child);
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
    std::string message;
    if (start_session(config, Session::Begin::kWithWork, message) != kProfCollectorOk)
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
  if (!take_running()) {
    const State state = g_state.load();
    if (state != State::kBusy && state != State::kStarting) return;
    print_message(
        "the capture could not be finished: another thread is still busy with it; its file holds "
        "what "
        "was written until now");
    return;
  }
  // The program may end here for any reason and in any state, even inside a CUDA callback: what
  // this waits for may never come.
  const Patience patience{[] { return g_session.load()->progress(); }, kExitPatienceNs};
  const bool done = run_on_internal_thread(
      "prof-exit",
      [] {
        std::string message;
        stop_session(Session::End::kExit, message);
        if (!message.empty()) print_message(message);
      },
      &patience);
  if (!done) {
    print_message(
        g_session.load()->output() +
        ": could not be finished, because CUPTI or the disk does not answer; it holds what was "
        "written until now");
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
