// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress of attributed GPU work, see work_progress.hpp.
#include "tools/report/work_progress.hpp"

#include <algorithm>
#include <utility>

#include "libprof/store/sqlite_db.hpp"

namespace prof::reports {
namespace {

constexpr std::uint64_t kRowsBetween = 4096;

/// Over all traces.
struct Reading {
  std::size_t traces = 0;
  std::size_t opened = 0;
  std::uint64_t rows = 0;
};

class CountedSource : public WorkSource {
 public:
  CountedSource(std::unique_ptr<WorkSource> source, TraceReader& trace,
                std::shared_ptr<Reading> reading, tools::Progress& progress)
      : source_(std::move(source)),
        span_(trace),
        reading_(std::move(reading)),
        place_(reading_->opened++),
        progress_(progress) {}

  const AttributedRow* next() override {
    const AttributedRow* const row = source_->next();
    if (++reading_->rows % kRowsBetween == 0 && row != nullptr) {
      progress_.update(reading_->rows, part_before(*row->row));
    }
    return row;
  }
  [[nodiscard]] Status status() const override { return source_->status(); }
  [[nodiscard]] const AttributionCounts& counts() const override { return source_->counts(); }

 private:
  [[nodiscard]] std::optional<double> part_before(const GpuRow& row) const {
    const std::optional<double> own = span_.part_before(row);
    if (!own || reading_->opened > reading_->traces) return std::nullopt;
    return (static_cast<double>(place_) + *own) / static_cast<double>(reading_->traces);
  }

  std::unique_ptr<WorkSource> source_;
  WorkSpan span_;
  std::shared_ptr<Reading> reading_;
  std::size_t place_;
  tools::Progress& progress_;
};

}  // namespace

WorkSpan::WorkSpan(TraceReader& trace) {
  const Result<SqliteDb*> db = trace.for_queries();
  if (!db || *db == nullptr) return;
  auto ends = (*db)->prepare(
      "SELECT (SELECT min(correlation) FROM kernel), (SELECT max(correlation) FROM kernel)");
  if (!ends || ends->step() != Statement::Step::kRow) return;
  first_ = ends->unsigned_integer(0);
  last_ = ends->unsigned_integer(1);
}

std::optional<double> WorkSpan::part_before(const GpuRow& row) const {
  if (last_ <= first_) return std::nullopt;
  const std::uint64_t at = std::clamp(row.correlation, first_, last_);
  return static_cast<double>(at - first_) / static_cast<double>(last_ - first_);
}

AttributeWork with_progress(AttributeWork attribute, std::size_t traces,
                            tools::Progress& progress) {
  auto reading = std::make_shared<Reading>(Reading{.traces = traces});
  return [attribute = std::move(attribute), reading = std::move(reading), &progress](
             TraceReader& trace, TraceReader::Work work) -> std::unique_ptr<WorkSource> {
    return std::make_unique<CountedSource>(attribute(trace, work), trace, reading, progress);
  };
}

}  // namespace prof::reports
