// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a piece of a program in a child of bounded time and memory, and tells how it ended.
#pragma once

#include <functional>
#include <string>

namespace prof::adversary {

struct Ended {
  int status = 0;      ///< As exit() was given it; -1: by a signal.
  int signal = 0;      ///< SIGALRM: it took too long.
  double peak_mb = 0;  ///< Of memory.
  std::string errors;  ///< What it wrote to stderr.

  /// What is wrong with a program that ended so, or empty: no crash, bounded, 0 or 1, and with 1
  /// exactly one line that says what and where.
  [[nodiscard]] std::string wrong(const std::string& program) const;
};

/// `body` runs in a child, with stdout to /dev/null; what it returns is the status.
Ended run_child(const std::function<int()>& body);

}  // namespace prof::adversary
