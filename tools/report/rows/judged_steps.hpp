// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// JudgedSteps: the steps of a trace that are chosen, each with what steady_steps.hpp says of it
// among them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tools/report/filter/row_filter.hpp"
#include "tools/report/rows/steady_steps.hpp"
#include "tools/report/rows/work_timeline.hpp"

namespace prof::reports {

/// A step on a GPU in a captured part of the run.
struct ChosenStep {
  DevicePart part;
  StepExtent extent;
  const StepWork* work = nullptr;
  JudgedStep judged;

  [[nodiscard]] std::int64_t period_ns() const {
    return difference_of_times(extent.period_end_ns, extent.begin_ns);
  }
};

class JudgedSteps {
 public:
  struct OfDevice {
    std::vector<ChosenStep> steps;  ///< In order of time.
    SteadySteps judged;             ///< Of them; its own list is in them.
  };

  /// Of a timeline that was given all work and must outlive it. The tally learns which steps there
  /// are.
  JudgedSteps(const TraceMember& trace, const RowInput& input, WorkTimeline& timeline);

  /// By CUDA device number.
  [[nodiscard]] const std::map<std::uint32_t, OfDevice>& devices() const { return devices_; }
  /// Null: none, or it is not chosen.
  [[nodiscard]] const ChosenStep* find(const DevicePart& part,
                                       const std::optional<std::int64_t>& step) const;
  /// Steps or ranges were asked for: what is in no step is not chosen.
  [[nodiscard]] bool are_some_asked_for() const { return are_some_asked_for_; }

 private:
  bool are_some_asked_for_ = false;
  std::map<std::uint32_t, OfDevice> devices_;
  std::map<std::pair<DevicePart, std::int64_t>, const ChosenStep*> places_;
};

}  // namespace prof::reports
