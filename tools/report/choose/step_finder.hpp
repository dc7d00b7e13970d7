// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepFinder: the step of a row of the host (a range, a call, a mark), as of GPU work by its
// launch: that of the innermost step on its stack, or else of the process at its time. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzers/process_steps.hpp"
#include "analyzers/texts/range_texts.hpp"
#include "libprof/store/trace_reader.hpp"
#include "tools/report/choose/choice.hpp"

namespace prof::reports {

class StepFinder {
 public:
  /// The choice has steps. Its last step is the last that a range states.
  StepFinder(TraceReader& trace, const Choice& choice);
  StepFinder(const StepFinder&) = delete;
  StepFinder& operator=(const StepFinder&) = delete;

  /// Whether the row is in a chosen step; `seen` gets its step.
  [[nodiscard]] bool takes(RangeId innermost, std::optional<std::int64_t> time_ns, StepSet& seen);

 private:
  using Step = std::optional<std::int64_t>;

  [[nodiscard]] Step on_stack(RangeId innermost);
  [[nodiscard]] Step stated_by(const RangeRow& range);
  [[nodiscard]] StepChoice last_step();

  TraceReader& trace_;
  RangeTexts texts_;
  ProcessSteps process_steps_;
  StepChoice chosen_;
  std::unordered_map<RangeId, Step> known_;  // bounded: cleared when large
  std::vector<RangeId> path_;
};

}  // namespace prof::reports
