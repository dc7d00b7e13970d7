// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages from inside a profiled program: whole lines on stderr that begin with "prof: ". Never on
// stdout, which is the program's, nor on descriptor 2 once the program has put something else
// there. The program is not disturbed: it gets no signal, does not wait for a dead or stopped
// reader, and errno is preserved. Any thread; one write per line, so that lines do not mix.
// Allocates nothing.
#pragma once

#include <string_view>

#include "libprof/control/stderr_identity.hpp"

namespace prof {

/// Sends lines to the current file of descriptor 2; among several calls the earliest `seen_ns`
/// counts. Nothing is printed before the first call.
void remember_stderr(const ProfStderrIdentity& identity = stderr_identity()) noexcept;

/// Prints "prof: LINE"; control characters become spaces, and the line is truncated at PIPE_BUF.
/// Waits at most 200 ms for a blocked stderr; while it stays blocked, later lines do not wait.
void print_message(std::string_view line) noexcept;

/// Prints "SPEAKER: LINE" instead. False: descriptor 2 no longer refers to its original file.
bool print_message_of(std::string_view speaker, std::string_view line) noexcept;

}  // namespace prof
