// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/capture_state.hpp"

#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include "collectors/cupti/collector.hpp"
#include "collectors/inject/capture_control.hpp"
#include "libprof/control/stderr_message.hpp"

namespace prof::collectors {
namespace {

constinit std::atomic<bool> g_handlers_set{false};
constinit std::atomic<bool> g_print_closing_line{false};

}  // namespace

CaptureConfig environment_config() {
  std::vector<std::string> complaints;
  CaptureConfig config =
      read_config([](const char* name) { return std::getenv(name); }, complaints);
  for (const std::string& line : complaints) print_message(line);
  return config;
}

void set_exit_handlers() {
  if (g_handlers_set.exchange(true)) return;
  // Registered after loading libcupti, so that these run before its own exit handlers.
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

Status stand_by(const CaptureConfig& config, Watch watch, std::shared_ptr<CaptureOutput> shared) {
  if (g_captures.standby != nullptr) return {};
  g_captures.pid = getpid();
  g_captures.ever_started.store(true);
  auto* const standby = new Standby;  // Never freed: CUPTI may still call it.
  PROF_TRY(standby->start(config, watch, std::move(shared)));
  g_captures.standby = standby;
  return {};
}

void stand_by_if_asked(const CaptureConfig& config) {
  if (!config.stands_by.value_or(false)) return;
  if (Status status = stand_by(config); !status) {
    print_message("CUDA graphs made before a capture stay unknown: " + status.error().to_line());
  }
}

void stand_by_again() {
  if (g_captures.standby == nullptr) return;
  if (Status status = g_captures.standby->resume(); !status)
    print_message(status.error().to_line());
}

ProfCollectorResult start_session(const CaptureConfig& config, Session::Start start,
                                  std::string& message) {
  try {
    start.number = g_captures.sessions;
    start.standby = g_captures.standby;
    auto* session = new Session;
    StartFailure where = StartFailure::kOther;
    g_captures.pid = getpid();
    g_captures.ever_started.store(true);
    if (Status status = session->start(config, std::move(start), where); !status) {
      message = status.error().to_line();
      const ProfCollectorResult result = result_of(where);
      delete session;
      stand_by_again();
      g_captures.state.store(State::kIdle);
      return result;
    }
    ++g_captures.sessions;
    // The previous session is not freed: another thread may be reading its counts.
    g_captures.session.store(session);
    g_print_closing_line.store(!config.quiet);
    set_exit_handlers();
    g_captures.state.store(State::kRunning);
    return kProfCollectorOk;
  } catch (const std::exception& failure) {
    message = std::string("could not start: ") + failure.what();
    g_captures.state.store(State::kIdle);
    return kProfCollectorFailed;
  }
}

ProfCollectorResult stop_session(Session::End end, std::string& message,
                                 const std::string& closer) {
  ProfCollectorResult result = kProfCollectorOk;
  try {
    if (Status status = g_captures.session.load()->stop(end, !g_captures.keeps_attached, closer);
        !status) {
      message = status.error().to_line();
      result = kProfCollectorOutput;
    }
    const std::string line =
        g_print_closing_line.load() ? g_captures.session.load()->closing_line() : "";
    if (!line.empty()) print_message(line);
  } catch (const std::exception& failure) {
    message = std::string("could not stop: ") + failure.what();
    result = kProfCollectorFailed;
  }
  return result;
}

bool take_running() {
  std::uint64_t seen = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (move_state(State::kRunning, State::kBusy)) return true;
    Session* session = g_captures.session.load();
    if (const std::uint64_t now = session == nullptr ? 0 : session->progress(); now != seen) {
      seen = now;
      i = 0;
    }
    const State state = g_captures.state.load();
    if (state == State::kIdle || state == State::kEnded || state == State::kDead) return false;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace prof::collectors
