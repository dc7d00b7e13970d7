// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The other end of a profiled process's control socket (libprof/control/control_socket.hpp): sends
// one command to a process of the same user and waits for the answer. One thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "libprof/base/result.hpp"

namespace prof::tools {

/// How long a process may take to answer: starting is quick, but to stop and to flush it waits for
/// its GPUs.
std::chrono::milliseconds patience_with(std::string_view word);

/// Sends a word of kControlWords to process `pid`. Returns the text of its answer, or one line
/// about why there is none: also the process's own, if it could not do it.
Result<std::string> steer(pid_t pid, std::string_view word, std::chrono::milliseconds patience);

}  // namespace prof::tools
