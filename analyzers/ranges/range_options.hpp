// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeOptions: how a user has the texts of ranges read, beyond what dialects say.
#pragma once

#include <string>
#include <vector>

namespace prof {

struct RangeOptions {
  std::vector<std::string> domains;  ///< Their ranges are read as those of the default domain.
  /// Patterns (libprof/base/glob.hpp) for texts, or DOMAIN:TEXT: these ranges alone are steps.
  std::vector<std::string> steps;
  /// Ranges of the process name the layers of work that has none on its thread's stack.
  bool process_ranges = false;
};

}  // namespace prof
