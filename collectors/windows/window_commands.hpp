// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Answers prof-run --pid: a socket (libprof/control/control_socket.hpp) and a thread of our own
// that serves it until the process ends or closes the socket.
#pragma once

#include <functional>
#include <string>

#include "libprof/base/result.hpp"

namespace prof::collectors {

/// Actions for the commands of a client. Called on the serving thread.
struct WindowCommands {
  std::function<bool()> is_open;             ///< Whether a window is open.
  std::function<void(bool is_on)> control;   ///< Opens or closes a window, before it returns.
  std::function<Status()> flush;             ///< Flushes the open window.
  std::function<std::string()> description;  ///< Lines about this process and its windows.
};

/// Starts the serving thread. Once in the process.
Status serve_commands(WindowCommands commands);
/// Removes the socket. To be called when the process ends.
void stop_commands() noexcept;
/// To be called in a forked child.
void forget_commands() noexcept;

}  // namespace prof::collectors
