// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ChosenTimeline: the timeline of a trace (analyzers/timeline) and its steps, as the options of a
// report choose them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/timeline/judged_steps.hpp"
#include "analyzers/timeline/typical_step.hpp"
#include "analyzers/timeline/work_timeline.hpp"
#include "tools/report/filter/host_filter.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

class ChosenTimeline {
 public:
  using Detail = Reading::Detail;

  /// Both must outlive it.
  ChosenTimeline(const TraceMember& trace, const RowInput& input, Detail detail);
  ChosenTimeline(const ChosenTimeline&) = delete;
  ChosenTimeline& operator=(const ChosenTimeline&) = delete;

  /// Reads all of the trace's work.
  void read();
  /// Replaces read(): returns a timeline that is to be given the work.
  WorkTimeline& begin();
  /// To be called after read() or begin(), as are those below.
  [[nodiscard]] WorkTimeline& timeline() { return *timeline_; }
  [[nodiscard]] Status status() const { return timeline_->status(); }

  /// After the last work. The tally learns which steps there are.
  const JudgedSteps& steps();
  Result<TypicalSteps> typical();

 private:
  std::optional<StepFilter> choice();

  const TraceMember& trace_;
  const RowInput& input_;
  const Detail detail_;
  HostFilter ranges_;
  std::shared_ptr<WorkTimeline> timeline_;
  std::optional<JudgedSteps> steps_;
};

/// The typical steps of all the trace's work.
Result<TypicalSteps> typical_steps(const TraceMember& trace, const RowInput& input);

/// A line for the notes, if steps span work of no step.
void add_remark(const OutsideSum& sum, std::uint32_t device, bool is_one_of_several,
                std::vector<std::string>& remarks);

}  // namespace prof::reports
