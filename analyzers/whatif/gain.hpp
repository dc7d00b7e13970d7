// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// gain: what the steady steps of a GPU gain from changes, as a range over the steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

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
  /// The mean gain of a changed graph alone: one replay.
  std::optional<double> mean_of(const Overlay& changed);
  /// Otherwise a faster GPU may live on launches that were queued before the steps.
  [[nodiscard]] bool begins_empty() const { return is_empty_; }
  /// Empty: gains are known.
  [[nodiscard]] std::string_view why_not() const { return why_not_; }

 private:
  [[nodiscard]] ReplayOptions own() const {
    return {.residuals = Residuals::kOwn, .from_empty_queue = is_empty_};
  }
  [[nodiscard]] ReplayOptions usual() const {
    return {.residuals = Residuals::kNone, .from_empty_queue = is_empty_};
  }
  bool begin_empty();
  /// Those of the steps, compared with a replay of the graph as it is.
  void add_gains(const Overlay& changed, const Times& base, const ReplayOptions& options,
                 std::vector<double>& to);
  [[nodiscard]] double median_period(const Times& times) const;

  const StepGraph& graph_;
  std::vector<std::size_t> steps_;  // those that count
  std::size_t first_ = 0;           // of the GPU
  bool is_empty_ = false;           // the queue when replays begin
  Times own_, usual_;               // as recorded: with each step's residuals, and without any
  Times changed_;
  std::string_view why_not_;
};

}  // namespace prof::whatif
