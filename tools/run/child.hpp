// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Starts a program and waits for it, so that to the outside prof-run is that program: signals reach
// it, its end is passed on. One child at a time; one thread.
#pragma once

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
};

/// Runs `command` with `variables` set, in this process's folder and with its files. SIGINT,
/// SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 that come to this process are sent on to it.
ChildEnd run_child(const std::vector<std::string>& command, const Variables& variables);

}  // namespace prof::tools
