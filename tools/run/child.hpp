// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Starts a program and waits for it, so that to the outside prof-run is that program: signals reach
// it, its end is passed on. One child at a time; one thread.
#pragma once

#include <signal.h>

#include <array>
#include <string>
#include <vector>

#include "tools/run/launch_plan.hpp"

namespace prof::tools {

struct ChildEnd {
  /// The program's own exit code, 128 + the signal that killed it, 127 if it was not found, 126 if
  /// it could not be run.
  int exit_code = 0;
  int signal = 0;       ///< What killed it, or 0.
  int start_error = 0;  ///< errno of what kept it from starting, or 0.
  int wait_error =
      0;  ///< errno of what kept its end from being learned, or 0; exit_code is 1 then.
};

/// What this process inherited of the signals that it must handle its own way: a message on a
/// closed pipe or a full file must not end it, and the end of its child must reach it even where
/// the parent ignores SIGCHLD. One at a time; make it first, so that no message is printed without
/// it.
class OwnSignals {
 public:
  OwnSignals();
  OwnSignals(const OwnSignals&) = delete;
  OwnSignals& operator=(const OwnSignals&) = delete;
  /// Everything is again as it was inherited.
  ~OwnSignals() { give_back(); }
  /// As the destructor, for a child before it becomes another program.
  void give_back() const;

 private:
  static constexpr int kSignals = 3;
  std::array<struct sigaction, kSignals> inherited_;
};

/// Runs `command` with `variables` set, in this process's folder and with its files. SIGINT,
/// SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 that come to this process are sent on to it.
/// The program gets the signals as they were inherited.
ChildEnd run_child(const std::vector<std::string>& command, const Variables& variables,
                   const OwnSignals& signals);

}  // namespace prof::tools
