// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The manners that all programs share: exit codes and how a line reaches the user on stderr.
#pragma once

#include <cstdio>
#include <string_view>

namespace prof::tools {

/// 0 done, 1 the input or the run failed, 2 wrong usage. The same for every program.
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2 };

/// Prints "PROGRAM: LINE" as one line; control characters in it are escaped.
void print_error(std::FILE* stream, std::string_view program, std::string_view line);

/// What a program exits with after writing its output, where `error` is errno or 0: a line on
/// stderr and kFailed, but for EPIPE, because a reader of a pipe that goes away has seen what it
/// wanted.
int exit_code(int error, std::FILE* stream, std::string_view program);

}  // namespace prof::tools
