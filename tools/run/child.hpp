// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Starts a program and waits for it, so that prof-run looks like that program: signals reach it,
// its exit status is passed on. One child at a time; one thread.
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
  int start_error = 0;  ///< errno if it could not be started, or 0.
  int wait_error = 0;   ///< errno if waiting for it failed, or 0; exit_code is then 1.
};

/// The inherited actions of the signals that this process must handle differently: a message to a
/// closed pipe or a full file must not end it, and it must learn of its child's end even if the
/// parent ignores SIGCHLD. One at a time; create it first, so that no message is printed without
/// it.
class OwnSignals {
 public:
  OwnSignals();
  OwnSignals(const OwnSignals&) = delete;
  OwnSignals& operator=(const OwnSignals&) = delete;
  /// Restores what was inherited.
  ~OwnSignals() { give_back(); }
  /// Like the destructor, for a child before exec.
  void give_back() const;

 private:
  static constexpr int kSignals = 3;
  std::array<struct sigaction, kSignals> inherited_;
};

/// Runs `command` with `variables` set, in this process's folder and with its files. Forwards
/// SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 to it. The program gets the signal actions
/// as inherited.
ChildEnd run_child(const std::vector<std::string>& command, const Variables& variables,
                   const OwnSignals& signals);

}  // namespace prof::tools
