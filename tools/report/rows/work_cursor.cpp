// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Streaming attributed work, see gpu_work.hpp.
#include <algorithm>

#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/kind_filter.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

/// The last step of a trace: a pass over all of its work.
std::optional<std::int64_t> last_step(WorkSource& source) {
  std::optional<std::int64_t> last;
  while (const AttributedRow* row = source.next()) {
    if (row->attribution->step) last = std::max(last.value_or(INT64_MIN), *row->attribution->step);
  }
  return last;
}

}  // namespace

/// A trace being read.
struct WorkCursor::OpenTrace {
  OpenTrace(const TraceMember& trace, const RowInput& input, TraceReader::Work work,
            WorkCounts& counts, std::uint64_t before)
      : step(input.filter.step),
        source(input.attribute(trace.reader, work)),
        row(trace),
        chooser(kKernels, input.filter, input.tally.filter, trace.reader),
        selection(*source, filter_by(input.filter), counts, input.tally.filter.steps, before) {
    if (!step || !step->with_last) return;
    const auto before_it = input.attribute(trace.reader, TraceReader::Work::kKernels);
    step = step->with_last_at(last_step(*before_it));
  }

  Selection::Filter filter_by(const RowFilter& filter) {
    if (filter.all()) return {};
    return [this](const Work& work) {
      const std::optional<std::int64_t>& of = work.attribution->step;
      if (step && !(of && step->holds(*of))) return false;
      row.set(work);
      return chooser.takes(row);
    };
  }

  std::optional<StepFilter> step;  // with the number of the last step
  std::unique_ptr<WorkSource> source;
  WorkRow row;
  KindFilter chooser;
  Selection selection;
};

TraceReader::Work work_of_kernels(const RowFilter& filter) {
  return filter.with_copies ? TraceReader::Work::kKernelsAndCopies : TraceReader::Work::kKernels;
}

WorkCursor::WorkCursor(const RowInput& input, TraceReader::Work work) : input_(input), work_(work) {
  input.tally.traces.resize(input.traces.size());
  input.tally.with_copies = work == TraceReader::Work::kKernelsAndCopies;
}

WorkCursor::~WorkCursor() = default;

WorkRow* WorkCursor::next() {
  while (status_ && at_ < input_.traces.size()) {
    Tally::OfTrace& tally = input_.tally.traces[at_];
    if (!open_) {
      open_ = std::make_unique<OpenTrace>(input_.traces.members()[at_], input_, work_, tally.work,
                                          last_idx_);
    }
    if (const Work* const work = open_->selection.next()) {
      open_->row.set(*work);
      return &open_->row;
    }
    // Free a trace's caches before the next trace fills its own.
    tally.analysis = open_->source->counts();
    status_ = open_->source->status();
    if (status_) status_ = open_->row.status();
    last_idx_ = open_->selection.last_idx();
    open_.reset();
    ++at_;
  }
  return nullptr;
}

}  // namespace prof::reports
