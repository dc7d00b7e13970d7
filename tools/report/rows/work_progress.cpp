// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/work_progress.hpp"

#include <utility>

namespace prof::reports {
namespace {

/// Work comes in the order of its correlations.
class SourceWithProgress : public WorkSource {
 public:
  SourceWithProgress(std::unique_ptr<WorkSource> source, TraceReader& trace, ReadProgress& progress)
      : source_(std::move(source)),
        span_(trace, "kernel", "correlation"),
        progress_(progress),
        place_(progress.begin()) {}

  const AttributedRow* next() override {
    const AttributedRow* const row = source_->next();
    if (row != nullptr) {
      progress_.row(place_, [&] { return span_.part_before(row->row->correlation); });
    }
    return row;
  }
  [[nodiscard]] Status status() const override { return source_->status(); }
  [[nodiscard]] const AttributionCounts& counts() const override { return source_->counts(); }

 private:
  std::unique_ptr<WorkSource> source_;
  KeySpan span_;
  ReadProgress& progress_;
  std::size_t place_;
};

}  // namespace

AttributeWork with_progress(AttributeWork attribute, ReadProgress& progress) {
  return [attribute = std::move(attribute), &progress](
             TraceReader& trace, TraceReader::Work work) -> std::unique_ptr<WorkSource> {
    return std::make_unique<SourceWithProgress>(attribute(trace, work), trace, progress);
  };
}

}  // namespace prof::reports
