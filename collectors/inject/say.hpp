// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How the collector speaks to the user: whole lines on stderr that begin with "prof: ". Never on
// stdout, which is the program's, nor on descriptor 2 once the program has put something else
// there. The program does not pay for it: no signal reaches it, no reader that is gone or asleep
// keeps it, errno stays. Any thread; one write a line, so that lines do not mix. Allocates nothing.
#pragma once

#include <string_view>

#include "collectors/inject/stderr_identity.hpp"

namespace prof::collectors {

/// Lines go to what descriptor 2 is now; of several calls the earliest `seen_ns` counts. Before the
/// first call nothing is said.
void remember_stderr(const ProfStderrIdentity& identity = stderr_identity()) noexcept;

/// Prints "prof: LINE"; control characters in it become spaces, and what exceeds PIPE_BUF is cut.
/// Waits 200 ms at most for a stderr that takes nothing; as long as it does not, later lines wait
/// no more.
void say(std::string_view line) noexcept;

}  // namespace prof::collectors
