// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Conventions shared by all programs: exit codes and messages on stderr.
#pragma once

#include <cstdio>
#include <string_view>

namespace prof::tools {

/// 0 success, 1 the input or the run failed, 2 wrong usage. The same for every program. 3: what a
/// comparison was asked to watch got worse; 4: whether it did cannot be decided.
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2, kWorse = 3, kUndecided = 4 };

/// Prints "PROGRAM: LINE" as one line; control characters in it are escaped.
void print_error(std::FILE* stream, std::string_view program, std::string_view line);

/// A program's exit code after writing its output, where `error` is errno or 0: kFailed and a line
/// on stderr, except for EPIPE, because a reader that closes its pipe has seen what it wanted.
int exit_code(int error, std::FILE* stream, std::string_view program);

/// Writes an answer (--help, --version, ...) to stdout and returns the exit code.
int print_answer(std::string_view text, std::string_view program);

}  // namespace prof::tools
