// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepPeriods: when the steps of a GPU begin and end. A step's period goes from its first work on
// the GPU to the next step's first, that of the last one to its last end (docs/conventions.md). One
// device, one captured part of the run. Memory for each step, none for its work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyzers/timeline/device_timeline.hpp"

namespace prof {

struct StepExtent {
  std::int64_t step = 0;
  std::int64_t begin_ns = INT64_MAX;  ///< Of its first work.
  std::int64_t end_ns = INT64_MIN;    ///< Of its last work.
  /// When its work and that of all steps before it has ended: work after that, up to the next
  /// step's first, is in no step.
  std::int64_t settled_ns = INT64_MIN;
  /// On the host: of the first launch, and of the last one's end. Absent: no launch is known.
  std::optional<std::int64_t> host_begin_ns, host_end_ns;
};

class StepPeriods {
 public:
  void add_work(std::int64_t step, std::int64_t begin_ns, std::int64_t end_ns);
  void add_launch(std::int64_t step, std::int64_t begin_ns, std::int64_t end_ns);

  /// Steps with work, in the order in which they begin.
  [[nodiscard]] std::vector<StepExtent> steps() const;
  /// Where each step's period begins, and where the last one ends.
  [[nodiscard]] std::vector<StepBoundary> boundaries() const;

 private:
  std::map<std::int64_t, StepExtent> steps_;
};

}  // namespace prof
