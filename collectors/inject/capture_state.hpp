// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the process is doing about captures, and the steps from one state to the next. Shared by
// what starts and ends captures: capture_control.cpp (the driver's start, the process's exit),
// collector_api.cpp (libprof.so), window_control.cpp. Threads: any; what is changed in one state
// alone says so.
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
// The process's exit: any of them ──► kEnded; a forked child: kDead.

/// Changed by compare-exchange: the driver may call InitializeInjection on a thread that is just
/// starting a capture, where a mutex would deadlock.
enum class State : std::uint8_t { kIdle, kStarting, kRunning, kBusy, kEnded, kDead };

struct CaptureState {
  std::atomic<State> state{State::kIdle};
  std::atomic<bool> ever_started{false};
  std::atomic<bool> is_automatic{false};   ///< A capture starts with the driver.
  std::atomic<Session*> session{nullptr};  ///< Complete; the last one, if none is running.
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

/// Prints what is not understood.
CaptureConfig environment_config();

/// A failure, for libprof.so.
ProfCollectorResult result_of(StartFailure where);

// Only in State::kStarting.
Status stand_by(const CaptureConfig& config, Watch watch = {.graphs = true},
                std::shared_ptr<CaptureOutput> shared = nullptr);
/// A capture can do without.
void stand_by_if_asked(const CaptureConfig& config);
/// To State::kRunning, or, with a message, to State::kIdle.
ProfCollectorResult start_session(const CaptureConfig& config, Session::Start start,
                                  std::string& message);

/// Waits while another thread starts, stops or flushes, until ten seconds pass without progress;
/// true: a capture is running and is now ours, in State::kBusy.
bool take_running();

// Only in State::kBusy.
ProfCollectorResult stop_session(Session::End end, std::string& message,
                                 const std::string& closer = {});
/// After a capture, or where one could not start.
void stand_by_again();

/// Ends the capture at the process's exit. Once.
void set_exit_handlers();

}  // namespace prof::collectors
