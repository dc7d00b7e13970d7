// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AroundSteps: plain ranges that name no layer, as they are around whole steps: around several, or
// around one where most steps have no such range. A range "measured" around the last step would
// otherwise make its layers others than those of the step before. One thread.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "analyzers/steps/step_ranges.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class AroundSteps {
 public:
  /// Both must outlive it.
  AroundSteps(TraceReader& reader, const StepRanges& steps) : reader_(reader), steps_(steps) {}

  /// Reads the ranges of threads once for each text of a range around one step.
  [[nodiscard]] bool holds(const RangeRow& range);

 private:
  [[nodiscard]] bool is_around_few(const RangeRow& range);

  TraceReader& reader_;
  const StepRanges& steps_;
  std::map<std::string, bool, std::less<>> few_by_text_;
};

}  // namespace prof
