// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipelines: ranks that hand on activations and gradients by sends and receives. Which stage each
// one is, and how long it waits for the stages before and after it: its bubble. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/ranks/blame.hpp"
#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

struct Stage {
  std::uint32_t rank = 0;  ///< Of Run::ranks.
  std::uint32_t pipeline = 0;
  std::uint32_t stage = 0, stages = 0;  ///< From 0, in the order of the forward pass.
  double microbatches = 0;             ///< That it hands on, or of the last stage takes, in a step.
  double before_ns = 0, after_ns = 0;  ///< Of a step, in which it waits for other stages.

  [[nodiscard]] double bubble_ns() const { return before_ns + after_ns; }
  /// The part of a step that a stage must wait if all are equal, by 1F1B and GPipe alike.
  [[nodiscard]] double least_bubble() const {
    return microbatches > 0 ? (stages - 1) / (microbatches + stages - 1) : 0;
  }
};

/// By pipeline, then stage.
std::vector<Stage> find_stages(const JoinedRun& run, const Blame& blame);

}  // namespace prof::ranks
