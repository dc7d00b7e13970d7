// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepLines: how long a step takes, what the GPU does in it and its MFU, as a line of the notes
// below a table of kernels. They are those of report `summary`, found in the table's own pass over
// the work.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

class StepLines {
 public:
  /// `input` must outlive it.
  explicit StepLines(const RowInput& input) : input_(input) {}

  /// Hears the first stream of each trace to its end, the copies and sets too.
  AttributeWork watch(AttributeWork attribute);
  /// Of the GPUs that are chosen. Empty of traces that were not read to their end.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  class Watched;

  const RowInput& input_;
  std::set<const TraceReader*> heard_;
  std::map<const TraceMember*, TypicalSteps> steps_;
};

}  // namespace prof::reports
