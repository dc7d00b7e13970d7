// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/rows_by_trace.hpp"

#include "tools/report/rows/kind_filter.hpp"
#include "tools/report/rows/read_progress.hpp"

namespace prof::reports {

RowsByTrace::RowsByTrace(const RowKind& kind, const RowInput& input, OpenTrace open_trace)
    : kind_(kind), input_(input), open_trace_(open_trace), takes_all_(input.filter.all()) {}

RowsByTrace::~RowsByTrace() = default;

Row* RowsByTrace::next() {
  while (status_ && at_ < input_.traces.size()) {
    const TraceMember& trace = input_.traces.members()[at_];
    if (!open_) {
      open_ = open_trace_(trace, input_);
      chooser_ = std::make_unique<KindFilter>(kind_, input_, trace.reader);
      if (input_.reading.progress() != nullptr) place_ = input_.reading.progress()->begin();
    }
    while (Row* const row = open_->next()) {
      if (input_.reading.progress() != nullptr) {
        input_.reading.progress()->row(place_, [this] { return open_->part_read(); });
      }
      if (!takes_all_ && !chooser_->takes(*row)) continue;
      ++input_.tally.shown_count;
      return row;
    }
    status_ = open_->status();
    open_.reset();
    ++at_;
  }
  return nullptr;
}

}  // namespace prof::reports
