// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/work_progress.hpp"

#include <utility>

namespace prof::reports {
namespace {

/// Work comes in the order of its correlations.
class WorkWithProgress final : public AttributedWork {
 public:
  WorkWithProgress(std::unique_ptr<AttributedWork> work, TraceReader& trace, ReadProgress& progress)
      : work_(std::move(work)),
        span_(trace, "kernel", "correlation"),
        progress_(progress),
        place_(progress.begin()) {}

  const AttributedRow* next() override {
    const AttributedRow* const row = work_->next();
    if (row != nullptr) {
      progress_.row(place_, [&] { return span_.part_before(row->gpu.correlation); });
    }
    return row;
  }
  [[nodiscard]] Status status() const override { return work_->status(); }
  [[nodiscard]] AttributionCounts counts() const override { return work_->counts(); }

 private:
  std::unique_ptr<AttributedWork> work_;
  KeySpan span_;
  ReadProgress& progress_;
  std::size_t place_;
};

}  // namespace

AttributeWork with_progress(AttributeWork attribute, ReadProgress& progress) {
  return [attribute = std::move(attribute), &progress](
             TraceReader& trace, TraceReader::Work work) -> std::unique_ptr<AttributedWork> {
    return std::make_unique<WorkWithProgress>(attribute(trace, work), trace, progress);
  };
}

}  // namespace prof::reports
