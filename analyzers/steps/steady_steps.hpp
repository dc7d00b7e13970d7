// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// judge_steps: which steps of a GPU are the step that reports describe, and why the others are not.
// The one place that decides it (docs/conventions.md, Steps and time;
// docs/decisions/0010-time-comparison-advice.md). Steady steps are the last run of steps of equal
// work and settled time, or of a few times that they take in turn. Pure arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzers/steps/outside_work.hpp"
#include "analyzers/steps/step_kinds.hpp"

namespace prof {

/// The properties by which a step is judged.
struct StepForm {
  std::int64_t period_ns = 0;
  /// The part of the period, after the step's work, in which work of no step runs.
  std::int64_t outside_ns = 0;
  // Its work: near numbers mean equal work.
  std::uint64_t kernels = 0;
  /// Threads of all its kernels: distinguishes sizes that launch as many kernels.
  double threads = 0;
  double product_ns = 0;      ///< Time of its products at their peaks: their FLOPs, by types.
  std::uint64_t repeats = 0;  ///< Kernels known by a marked step's: this one runs without marks.
  bool is_whole = true;       ///< False: unknown where its period ends.
};

enum class StepStanding : std::uint8_t {
  kSteady,
  kWarmsUp,    ///< Before the steady ones.
  kFar,        ///< Among them, of their work, and far from them.
  kOtherWork,  ///< It has other work, which takes another time.
  kOutside,    ///< Its period spans work of no step (outside_work.hpp).
  kMarked,     ///< Marks made it slower than others, which ran without.
  kCutOff,     ///< It is unknown where its period ends.
  kNoKernel,   ///< It launched copies and sets alone, as what follows a loop does.
};

struct JudgedStep {
  StepStanding standing = StepStanding::kNoKernel;
  /// Median of the settled steps of equal work. Absent: there are none, or its own period is not
  /// known.
  std::optional<double> median_ns;
  /// It is settled, but further from that than such steps are.
  bool is_unusual = false;

  [[nodiscard]] bool is_steady() const { return standing == StepStanding::kSteady; }
};

/// The word of report `steps`; empty: nothing is to be said.
std::string_view unusual_word(const JudgedStep& step, std::int64_t period_ns);

struct SteadySteps {
  std::vector<JudgedStep> steps;  ///< As they were given.
  bool is_settled = true;         ///< False: the last one stands for a program that warms up.
  bool is_marked = true;          ///< False: those of full speed run without marks.
  OutsideSum outside;             ///< The steps that span work of no step.
  /// Steady steps of equal work take turns in taking one of these times; empty: they take one.
  std::vector<StepKind> kinds;
};

/// Judges the steps of one GPU, in order of time.
SteadySteps judge_steps(const std::vector<StepForm>& steps);

}  // namespace prof
