// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeOptions: how a user has the texts of ranges read, beyond what dialects say.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace prof {

class FoundStepsMemo;

struct RangeOptions {
  std::vector<std::string> domains;  ///< Their ranges are read as those of the default domain.
  /// Patterns (libprof/base/glob.hpp) for texts, or DOMAIN:TEXT: these ranges alone are steps.
  std::vector<std::string> steps;
  /// Ranges of the process name the layers of work that has none on its thread's stack.
  bool process_ranges = false;
  /// Finds the steps of traces that mark none (analyzers/loops/find_steps.hpp), once for each trace
  /// whoever asks. Null: such traces have no steps.
  std::shared_ptr<FoundStepsMemo> found_steps = {};

  /// Nobody chose what ranges mean.
  [[nodiscard]] bool are_usual() const {
    return domains.empty() && steps.empty() && !process_ranges;
  }
};

}  // namespace prof
