// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of captures in the process, and the steps from one state to the next. Shared by the
// code that starts and ends captures: capture_control.cpp (the driver's start, the process's exit),
// collector_api.cpp (libprof.so), window_control.cpp. Threads: any; members that are changed in one
// state alone are marked as such.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "collectors/inject/config.hpp"
#include "collectors/inject/session.hpp"
#include "collectors/inject/standby.hpp"
#include "libprof/control/collector_api.hpp"

namespace prof::collectors {

//            start                          stop, flush, describe
//   kIdle ──────────► kStarting ──► kRunning ──────────────────► kBusy
//     ▲ ◄──────────────── failed       ▲ ◄────── flushed ─────────│
//     └──────────────────────────────── stopped ──────────────────┘
//
// The process's exit: any state ──► kEnded; a forked child: kDead.

/// Changed by compare-exchange: the driver may call InitializeInjection on a thread that is just
/// starting a capture, where a mutex would deadlock.
enum class State : std::uint8_t { kIdle, kStarting, kRunning, kBusy, kEnded, kDead };

struct CaptureState {
  std::atomic<State> state{State::kIdle};
  std::atomic<bool> ever_started{false};
  std::atomic<bool> is_automatic{false};  ///< A capture starts with the driver.
  /// The complete session that is running; the last one, if none is.
  std::atomic<Session*> session{nullptr};
  // Changed only in State::kStarting.
  std::uint32_t sessions = 0;
  Standby* standby = nullptr;  ///< Null: none; never freed.
  pid_t pid = 0;
  bool keeps_attached = false;
};
inline constinit CaptureState g_captures;

[[nodiscard]] inline bool move_state(State from, State to) {
  return g_captures.state.compare_exchange_strong(from, to);
}

/// The environment's configuration. Prints a line for each value that is not understood.
CaptureConfig environment_config();

/// The result code of a failure, for libprof.so.
ProfCollectorResult result_of(StartFailure where);

// Only in State::kStarting.
Status stand_by(const CaptureConfig& config, Watch watch = {.graphs = true},
                std::shared_ptr<CaptureOutput> shared = nullptr);
/// Stands by if requested. A failure does not prevent captures.
void stand_by_if_asked(const CaptureConfig& config);
/// Changes to State::kRunning, or, with a message, to State::kIdle.
ProfCollectorResult start_session(const CaptureConfig& config, Session::Start start,
                                  std::string& message);

/// Waits while another thread starts, stops or flushes, until ten seconds pass without progress;
/// true: a capture is running and the caller now owns it, in State::kBusy.
bool take_running();

// Only in State::kBusy.
ProfCollectorResult stop_session(Session::End end, std::string& message,
                                 const std::string& closer = {});
/// To be called after a capture, or where one could not start.
void stand_by_again();

/// Registers the handlers that end the capture at the process's exit. To be called once.
void set_exit_handlers();

}  // namespace prof::collectors
