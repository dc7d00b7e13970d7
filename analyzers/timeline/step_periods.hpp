// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepPeriods: when the steps of a GPU begin and end. A step's period goes from its first work on
// the GPU to the next step's first, that of the last one to where its own end is known to be
// (docs/conventions.md). One device, one captured part of the run. Memory for each step, none for
// its work.
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
  std::int64_t begin_ns = INT64_MAX;  ///< Begin of its first work.
  std::int64_t end_ns = INT64_MIN;    ///< End of its last work.
  /// When its work and that of all steps before it has ended: work after that, up to the next
  /// step's first, is in no step.
  std::int64_t settled_ns = INT64_MIN;
  std::int64_t period_end_ns = INT64_MIN;
  bool has_kernels = false;
  /// The last step with kernels: the ones after it launch copies and sets alone.
  bool is_last = false;
  /// False: the last one, and nothing shows where its period ends, or what follows its work is much
  /// less or more than in the step before it: the way to the next step, what ends the program.
  bool is_whole = true;
  /// On the host: of the first launch, and of the last one's end. Absent: no launch is known.
  std::optional<std::int64_t> host_begin_ns, host_end_ns;
  std::optional<std::int64_t> range_end_ns;  ///< On the host: of its range.
};

class StepPeriods {
 public:
  /// Work after a step's own belongs to another step: its period ends with its work.
  void end_with_work() { ends_with_work_ = true; }
  void add_work(std::int64_t step, std::int64_t begin_ns, std::int64_t end_ns,
                bool is_kernel = true);
  void add_launch(std::int64_t step, std::int64_t begin_ns, std::int64_t end_ns);
  /// The step's range ends at that time of the host.
  void add_range_end(std::int64_t step, std::int64_t end_ns);
  /// Work of no step, in the order of launches like that of steps.
  void add_outside(std::int64_t begin_ns);

  /// Steps with work, in the order in which they begin.
  [[nodiscard]] std::vector<StepExtent> steps() const;
  /// Where each step's period begins, and where the last one ends.
  [[nodiscard]] std::vector<StepBoundary> boundaries() const;

 private:
  void find_ends(std::vector<StepExtent>& steps) const;
  [[nodiscard]] std::optional<std::int64_t> known_end_of_last(const StepExtent& last) const;

  bool ends_with_work_ = false;
  std::map<std::int64_t, StepExtent> steps_;
  std::int64_t end_ns_ = INT64_MIN;         // of the work of all steps so far
  std::optional<std::int64_t> outside_ns_;  // the first work of no step after that
};

}  // namespace prof
