// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the sockets are through which prof-run --pid steers profiled programs: a folder of the user
// alone, in it PID.sock for each process that takes commands. Any thread.
#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include <optional>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof {

/// Where a process of `user` puts its socket: $XDG_RUNTIME_DIR/prof, or /tmp/prof-UID if the
/// variable is not set or does not name a folder that `user` alone may write to. In a program with
/// more rights than its user the variable does not count (control/secure.hpp).
std::string control_folder(uid_t user);

/// Where to look for the socket of a process of `user`, whose environment may be another one.
std::vector<std::string> control_folders(uid_t user);

/// Refuses what is not a folder that `user` alone may enter.
Status check_control_folder(const std::string& folder, uid_t user);

std::string control_socket(const std::string& folder, pid_t pid);

/// None: the path is too long for an address.
std::optional<sockaddr_un> control_address(const std::string& socket);

}  // namespace prof
