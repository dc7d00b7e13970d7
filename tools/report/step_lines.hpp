// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepLines: how long a step takes, what the GPU does in it and its MFU, as a line of the notes
// below a table of kernels. They are those of report `summary`, found in the table's own pass over
// the work.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

class StepLines {
 public:
  /// Hears the input's first reading of each trace. The input must outlive it.
  explicit StepLines(const RowInput& input);
  StepLines(const StepLines&) = delete;
  StepLines& operator=(const StepLines&) = delete;
  ~StepLines();

  /// The lines of the chosen GPUs. Empty for traces that were not read to their end.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  class Heard;

  const RowInput& input_;
  std::map<const TraceMember*, TypicalSteps> steps_;
};

}  // namespace prof::reports
