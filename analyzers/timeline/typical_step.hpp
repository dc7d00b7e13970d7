// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TypicalStep: what the steady steps of a GPU (steady_steps.hpp) have in common. Without steps, all
// captured time is one step.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analyzers/steps/outside_work.hpp"
#include "analyzers/steps/step_set.hpp"
#include "analyzers/timeline/judged_steps.hpp"
#include "analyzers/timeline/work_timeline.hpp"

namespace prof {

/// Steady steps that take about the same time, and what a GPU does in all of them.
struct KindOfStep {
  std::size_t steps = 0;
  std::int64_t period_ns = 0;
  std::array<std::int64_t, kDeviceStates> state_ns{};
  std::map<IdleCause, std::int64_t> idle_ns = {};
};

struct TypicalStep {
  bool has_steps = false;
  std::set<std::pair<std::optional<std::uint32_t>, std::int64_t>> steps;  ///< (capture, number)
  std::size_t all_steps = 0;
  bool is_settled = true;  ///< False: the last step stands for a program that still warms up.
  StepSet all_numbers, steady_numbers, warm_up_numbers;
  std::uint64_t other_steps = 0;  ///< Steps of other work, which takes another time.
  bool is_marked = true;          ///< False: these steps ran without marks.
  bool is_found = false;          ///< Nothing marks steps: they are estimated from the launches.
  OutsideSum outside;             ///< Steps that span work of no step: they are not steady.
  /// Periods of the steady steps, in order of time.
  std::vector<std::int64_t> periods_ns;
  /// Statistics of these periods; the median of several kinds is their mean.
  std::int64_t median_ns = 0, shortest_ns = 0, longest_ns = 0;
  std::vector<KindOfStep> kinds;  ///< By time; empty: all are of one.
  /// The kind of each steady step, by its index.
  std::map<std::pair<std::optional<std::uint32_t>, std::int64_t>, std::size_t> kind_of;

  // Sums over them: divide by count().
  std::int64_t period_ns = 0;
  /// Without steps: up to the last pause in which kernels were compiled or loaded, or memory was
  /// allocated.
  std::int64_t startup_ns = 0;
  std::array<std::int64_t, kDeviceStates> state_ns{};
  std::map<IdleCause, std::int64_t> idle_ns;
  std::map<IdleCause, std::uint64_t> idle_stretches;
  std::map<IdleCause, std::uint64_t> idle_steps;  ///< Steps with such stretches.
  std::set<IdleCause> idle_in_last;               ///< The last steady step has such stretches.
  StepWork work;

  /// Each part of a run may number its steps from 0.
  [[nodiscard]] bool is_of_several_captures() const {
    return !steps.empty() && steps.begin()->first != steps.rbegin()->first;
  }
  [[nodiscard]] double count() const { return has_steps ? static_cast<double>(steps.size()) : 1; }
  [[nodiscard]] bool takes(std::optional<std::uint32_t> capture,
                           const std::optional<std::int64_t>& step) const {
    return !has_steps || (step && steps.contains({capture, *step}));
  }
};

/// By CUDA device number.
using TypicalSteps = std::map<std::uint32_t, TypicalStep>;

/// The typical step of each GPU of a trace. Reads the timeline, to which the steps belong, to its
/// end.
Result<TypicalSteps> typical_steps(const JudgedSteps& steps, WorkTimeline& timeline);

}  // namespace prof
