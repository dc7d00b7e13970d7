// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// JudgedSteps: the steps of a trace that are chosen, each with what steady_steps.hpp says of it
// among them. The one source of steady steps, of their periods and of what a GPU does in them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/steps/steady_steps.hpp"
#include "analyzers/timeline/work_timeline.hpp"

namespace prof {

/// The choice of steps; empty functions take all.
struct StepChoice {
  std::function<bool(std::optional<std::uint32_t> capture)> takes_capture = {};
  std::function<bool(std::int64_t step)> takes_step = {};
  /// Steps or ranges were asked for: what is in no step is not chosen.
  bool are_some_asked_for = false;

  [[nodiscard]] bool takes(const DevicePart& part) const {
    return !takes_capture || takes_capture(part.capture);
  }
  [[nodiscard]] bool takes(const DevicePart& part, std::int64_t step) const {
    return takes(part) && (!takes_step || takes_step(step));
  }
};

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
    SteadySteps judged;             ///< Results for `steps`, which also hold its own list.
  };

  /// Judges the steps of a timeline that was given all work and must outlive this object.
  explicit JudgedSteps(WorkTimeline& timeline, StepChoice choice = {});

  /// By CUDA device number.
  [[nodiscard]] const std::map<std::uint32_t, OfDevice>& devices() const { return devices_; }
  /// Null: none, or it is not chosen.
  [[nodiscard]] const ChosenStep* find(const DevicePart& part,
                                       const std::optional<std::int64_t>& step) const;
  [[nodiscard]] const StepChoice& choice() const { return choice_; }

 private:
  StepChoice choice_;
  std::map<std::uint32_t, OfDevice> devices_;
  std::map<std::pair<DevicePart, std::int64_t>, const ChosenStep*> places_;
};

}  // namespace prof
