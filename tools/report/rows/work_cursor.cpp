// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Streaming attributed work, see gpu_work.hpp.
#include <algorithm>
#include <memory>
#include <optional>

#include "libprof/model/times.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/kind_filter.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

/// The steps that --step asks for, with the number of the last step.
std::optional<StepFilter> steps_of(const TraceMember& trace, const RowInput& input) {
  const std::optional<StepFilter>& asked = input.filter.step;
  if (!asked || !asked->with_last) return asked;
  return asked->with_last_at(input.reading.last_step(trace.reader));
}

/// A trace being read: its work is numbered, tallied and chosen among.
class OpenTrace {
 public:
  OpenTrace(const TraceMember& trace, const RowInput& input, TraceReader::Work work,
            Tally::OfTrace& tally, std::uint64_t before)
      : takes_all_(input.filter.all()),
        step_(steps_of(trace, input)),
        work_(input.reading.work(trace.reader, work)),
        row_(trace),
        chooser_(kKernels, input, trace.reader),
        tally_(tally),
        steps_(input.tally.filter.steps),
        last_idx_(before) {}

  /// Null at the end, when the tally is complete, or after an error.
  WorkRow* next() {
    while (const AttributedRow* const work = work_->next()) {
      row_.set(++last_idx_, *work);
      ++(row_.is_kernel() ? tally_.work.kernels : tally_.work.copies);
      if (const auto& step = work->attribution.step) steps_.add(*step);
      if (!takes_all_ && !takes(*work)) continue;
      add_shown(*work);
      return &row_;
    }
    tally_.analysis = work_->counts();
    return nullptr;
  }
  [[nodiscard]] Status status() const {
    PROF_TRY(work_->status());
    return row_.status();
  }
  [[nodiscard]] std::uint64_t last_idx() const { return last_idx_; }

 private:
  bool takes(const AttributedRow& work) {
    const std::optional<std::int64_t>& of = work.attribution.step;
    if (step_ && !(of && step_->holds(*of))) return false;
    return chooser_.takes(row_);
  }

  void add_shown(const AttributedRow& work) {
    WorkCounts& counts = tally_.work;
    if (!row_.is_kernel()) {
      ++counts.shown_copies;
      return;
    }
    ++counts.shown_kernels;
    counts.shown_kernel_ns = sum_of_times(counts.shown_kernel_ns, work.gpu.duration_ns);
    if (work.attribution.step) ++counts.shown_in_steps;
    const OpAttribution& op = *work.attribution.op;
    if (op.op.empty() || op.is_plain_op) ++counts.shown_without_op;
    if (is_unattributed(work.attribution)) ++counts.shown_unattributed;
  }

  bool takes_all_;
  std::optional<StepFilter> step_;  // with the number of the last step
  std::unique_ptr<AttributedWork> work_;
  WorkRow row_;
  KindFilter chooser_;
  Tally::OfTrace& tally_;
  StepSet& steps_;
  std::uint64_t last_idx_;
};

class WorkCursor final : public RowCursor<Row> {
 public:
  WorkCursor(const RowInput& input, TraceReader::Work work) : input_(input), work_(work) {
    input.tally.traces.resize(input.traces.size());
    input.tally.with_copies = work == TraceReader::Work::kKernelsAndCopies;
  }

  WorkRow* next() override {
    while (status_ && at_ < input_.traces.size()) {
      if (!open_) {
        open_.emplace(input_.traces.members()[at_], input_, work_, input_.tally.traces[at_],
                      last_idx_);
      }
      if (WorkRow* const row = open_->next()) return row;
      status_ = open_->status();
      last_idx_ = open_->last_idx();
      open_.reset();  // Free a trace's caches before the next trace fills its own.
      ++at_;
    }
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return status_; }

 private:
  RowInput input_;
  TraceReader::Work work_;
  std::size_t at_ = 0;
  std::uint64_t last_idx_ = 0;
  std::optional<OpenTrace> open_;
  Status status_;
};

}  // namespace

std::unique_ptr<RowCursor<Row>> open_work(const RowInput& input, TraceReader::Work work) {
  return std::make_unique<WorkCursor>(input, work);
}

}  // namespace prof::reports
