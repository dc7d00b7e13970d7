// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// gain: what the steady steps of a GPU gain from changes, as a range over the steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "analyzers/whatif/change.hpp"
#include "analyzers/whatif/step_graph.hpp"

namespace prof::whatif {

/// Nanoseconds of a step; negative: it takes longer.
struct Gain {
  double low_ns = 0, typical_ns = 0, high_ns = 0;
};

/// The step as it is, replayed once for all questions.
class Gains {
 public:
  Gains(const StepGraph& graph, std::uint32_t device);

  /// Absent: the graph has no steady step of the GPU, or does not describe it (why_not()).
  std::optional<Gain> of(std::span<const Change> changes);
  /// Empty: gains are known.
  [[nodiscard]] std::string_view why_not() const { return why_not_; }
  /// The median period of the steady steps, as replayed.
  [[nodiscard]] double period_ns() const { return period_ns_; }

 private:
  [[nodiscard]] bool takes(const StepMark& step) const {
    return step.is_steady && step.device == device_;
  }

  const StepGraph& graph_;
  const std::uint32_t device_;
  Times own_, usual_;  // as recorded: with each step's residuals, and without any
  Times changed_;
  double period_ns_ = 0;
  std::string_view why_not_;
};

}  // namespace prof::whatif
