// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ProcessSteps: the steps that a program marks as process ranges (nvtxRangeStart), which apply by
// time to the launches of all its threads, whatever is on their stacks. 32 bytes per step.
// Immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

class ProcessSteps {
 public:
  /// Reads all steps.
  ProcessSteps(TraceReader& reader, const dialects::Registry& dialects);

  /// The step open at that time; if several, the one that began last.
  [[nodiscard]] std::optional<std::int64_t> at(std::int64_t time_ns) const;

 private:
  struct Step {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t latest_end_ns = 0;  // of this step and all that began before it
    std::int64_t number = 0;
  };

  std::vector<Step> steps_;  // by start
};

}  // namespace prof
