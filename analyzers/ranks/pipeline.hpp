// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipelines: ranks that hand on activations and gradients by sends and receives. Which stage each
// one is, how long it waits for the stages before and after it, its bubble, and how long it
// computes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzers/ranks/blame.hpp"
#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

struct Stage {
  std::uint32_t rank = 0;  ///< Index in Run::ranks.
  std::uint32_t pipeline = 0;
  std::uint32_t stage = 0, stages = 0;  ///< From 0, in the order of the forward pass.
  double microbatches = 0;  ///< Number that it hands on, or that the last stage takes, in a step.
  double before_ns = 0, after_ns = 0;  ///< Time in a step in which it waits for other stages.
  /// Time in a step in which its own kernels run, and the optimizer's part of it.
  double computing_ns = 0, update_ns = 0;

  [[nodiscard]] double bubble_ns() const { return before_ns + after_ns; }
  /// How long it computes for one, forward and backward, without the optimizer.
  [[nodiscard]] double microbatch_ns() const {
    return microbatches > 0 ? (computing_ns - update_ns) / microbatches : 0;
  }
  /// The part of a step that a stage must wait if all are equal, by 1F1B and GPipe alike.
  [[nodiscard]] double least_bubble() const {
    return microbatches > 0 ? (stages - 1) / (microbatches + stages - 1) : 0;
  }
};

/// By pipeline, then stage.
std::vector<Stage> find_stages(const JoinedRun& run, const Blame& blame);

/// The stage that computes longest, and what that makes of a step at least: computing alone, by the
/// formula of 1F1B and GPipe.
struct LongestStage {
  Stage stage;
  double above_mean = 0;   ///< A part of the mean of the stages.
  double least_ns = 0;     ///< Least length of a step, with the stages as they are.
  double balanced_ns = 0;  ///< If each computed as long as their mean.
};

/// The longest stage of the pipeline where it exceeds the mean most; nullopt: it exceeds it by no
/// more than 3 %, or nothing is known of microbatches.
std::optional<LongestStage> longest_stage(std::span<const Stage> stages);

}  // namespace prof::ranks
