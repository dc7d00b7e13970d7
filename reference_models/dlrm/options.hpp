// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-dlrm's command line.
#pragma once

#include <optional>
#include <string>

#include "dlrm/config.hpp"

namespace ref {

struct Options {
  enum class Action { train, check, list_gradient_terms };

  Action action = Action::train;
  DlrmConfig config;
  int warmup = 3;  // steps before the counted ones
  int steps = 1;
  std::string drop_gradient;
};

/// The options, or nothing when the program is to end at once with *exit_code: 0 after --help, 2
/// after a mistake, which has been said in one line on stderr.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv, int* exit_code);

}  // namespace ref
