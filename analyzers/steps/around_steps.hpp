// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AroundSteps: plain ranges that name no layer, as they are around whole steps: around several, or
// around one where most steps have no such range. A range "measured" around the last step would
// otherwise make its layers others than those of the step before. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/steps/step_ranges.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class AroundSteps {
 public:
  /// All must outlive it.
  AroundSteps(TraceReader& reader, const dialects::Registry& dialects, const StepRanges& steps)
      : reader_(reader), dialects_(dialects), steps_(steps) {}

  /// The first call about a range around one step reads all plain ranges of threads.
  [[nodiscard]] bool holds(const RangeRow& range);

 private:
  /// The steps that ranges of a text are around, each by itself; their numbers count as one text.
  using Marked = std::vector<bool>;

  void read();

  TraceReader& reader_;
  const dialects::Registry& dialects_;
  const StepRanges& steps_;
  std::optional<std::unordered_map<std::string, Marked>> by_text_;
};

}  // namespace prof
