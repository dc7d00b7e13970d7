// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Location of the sockets through which prof-run --pid controls profiled programs: a folder that
// belongs to the user alone, with PID.sock for each process that takes commands. Any thread.
#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include <optional>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof {

/// The folder in which a process of `user` puts its socket: $XDG_RUNTIME_DIR/prof, or /tmp/prof-UID
/// if the variable is not set or does not name a folder that `user` alone may write to. In a
/// program with more rights than its user the variable is ignored (control/secure.hpp).
std::string control_folder(uid_t user);

/// The folders in which to look for the socket of a process of `user`, whose environment may
/// differ.
std::vector<std::string> control_folders(uid_t user);

/// Refuses anything but a folder that `user` alone may enter.
Status check_control_folder(const std::string& folder, uid_t user);

std::string control_socket(const std::string& folder, pid_t pid);

/// None: the path is too long for an address.
std::optional<sockaddr_un> control_address(const std::string& socket);

}  // namespace prof
