// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line options that all reference programs share: what to do, and for how long.
#pragma once

#include <optional>
#include <string>

#include "common/workload.hpp"

namespace ref {

struct RunOptions {
  enum class Action { train, check, list_gradient_terms, overfit, deterministic, ledger };

  Action action = Action::train;
  int warmup = 3;  // steps before the counted ones
  int steps = 1;
  std::string drop_gradient;  // a gradient term that check leaves out
  std::string ledger_file;    // "-": stdout
};

/// Parses the command line into the workload and the returned options; nullopt if the program is to
/// exit at once with *exit_code: 0 after --help, 2 after a mistake, already reported in one line on
/// stderr.
[[nodiscard]] std::optional<RunOptions> parse_run_options(Workload& workload, int argc, char** argv,
                                                          int* exit_code);

}  // namespace ref
