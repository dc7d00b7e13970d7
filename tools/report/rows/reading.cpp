// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/reading.hpp"

#include <algorithm>
#include <utility>

#include "analyzers/attributor.hpp"

namespace prof::reports {
namespace {

/// Of all logs; the rest of them is in scratch files.
constexpr std::size_t kLogBytes = std::size_t{32} << 20;

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

AttributeWork attribute_by_analyzers(RangeOptions range_options) {
  return [range_options = std::move(range_options)](TraceReader& trace, TraceReader::Work work) {
    return attribute_work(trace, {.work = work, .range_options = range_options});
  };
}

/// Work with copies and sets, which are heard and kept, and passed on if they are wanted.
class Reading::HeardWork final : public AttributedWork {
 public:
  HeardWork(std::unique_ptr<AttributedWork> work, TraceReader::Work wanted, std::string path,
            Reading& reading)
      : work_(std::move(work)),
        with_copies_(wanted == TraceReader::Work::kKernelsAndCopies),
        path_(std::move(path)),
        reading_(reading) {}

  void add(std::unique_ptr<WorkListener> listener) { listener_ = std::move(listener); }
  void add(std::shared_ptr<WorkLog> log) { log_ = std::move(log); }

  const AttributedRow* next() override {
    while (const AttributedRow* const row = work_->next()) {
      if (listener_ != nullptr) listener_->add(*row);
      if (log_ != nullptr) log_->add(*row);
      if (with_copies_ || row->gpu.kind == GpuRow::Kind::kKernel) return row;
    }
    finish();
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return work_->status(); }
  [[nodiscard]] AttributionCounts counts() const override { return work_->counts(); }

 private:
  void finish() {
    if (!status()) return;
    if (listener_ != nullptr) listener_->finish();
    if (log_ != nullptr && log_->finish(work_->counts())) {
      reading_.keep_log(path_, std::move(log_));
    }
    listener_ = nullptr;
    log_ = nullptr;
  }

  std::unique_ptr<AttributedWork> work_;
  const bool with_copies_;
  const std::string path_;
  Reading& reading_;
  std::unique_ptr<WorkListener> listener_;  // null: there is none, or it has heard all
  std::shared_ptr<WorkLog> log_;            // likewise
};

Reading::Reading(AttributeWork attribute, Keeps keeps, std::size_t traces,
                 tools::Progress* progress)
    : attribute_(std::move(attribute)),
      keeps_(keeps),
      traces_(std::clamp<std::size_t>(traces, 1, kMostKept)) {
  if (progress != nullptr) progress_.emplace(traces, *progress);
}

Reading::~Reading() = default;

std::unique_ptr<AttributedWork> Reading::work_of_one(TraceReader& trace, TraceReader::Work wanted) {
  auto work = attribute_(trace, wanted);
  if (!progress_) return work;
  return std::make_unique<WorkWithProgress>(std::move(work), trace, *progress_);
}

std::unique_ptr<AttributedWork> Reading::work(TraceReader& trace, TraceReader::Work wanted) {
  std::shared_ptr<const WorkLog> log = find_log(trace.path());
  std::unique_ptr<WorkListener> listener;
  if (listen_ && heard_.insert(&trace).second) listener = listen_(trace);
  const bool begins_log = log == nullptr && keeps_ != Keeps::kNothing;
  const TraceReader::Work read =
      begins_log || listener != nullptr ? TraceReader::Work::kKernelsAndCopies : wanted;
  auto work = log != nullptr ? WorkLog::read(std::move(log), read) : work_of_one(trace, read);
  if (!begins_log && listener == nullptr) return work;
  auto heard = std::make_unique<HeardWork>(std::move(work), wanted, trace.path(), *this);
  if (listener != nullptr) heard->add(std::move(listener));
  if (begins_log) heard->add(std::make_shared<WorkLog>(kLogBytes / traces_));
  return heard;
}

void Reading::listen(Listen listen) {
  listen_ = std::move(listen);
  heard_.clear();
}

std::shared_ptr<WorkTimeline> Reading::timeline(TraceReader& trace, Detail detail) {
  const auto kept = timelines_.find(&trace);
  if (kept != timelines_.end() && kept->second.detail >= detail) {
    kept->second.timeline->rewind();
    return kept->second.timeline;
  }
  auto made = std::make_shared<WorkTimeline>(trace, detail);
  made->read(*work(trace, TraceReader::Work::kKernelsAndCopies));
  if (keeps_ != Keeps::kTimelines || !made->status()) return made;
  if (kept == timelines_.end() && timelines_.size() == kMostKept) {
    timelines_.erase(timelines_.begin());
  }
  timelines_.insert_or_assign(&trace, KeptTimeline{detail, made});
  return made;
}

std::shared_ptr<const WorkLog> Reading::find_log(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(logs_, path, [](const auto& log) { return log.first; });
  if (found == logs_.end()) return nullptr;
  std::rotate(found, found + 1, logs_.end());
  return logs_.back().second;
}

void Reading::keep_log(const std::string& path, std::shared_ptr<const WorkLog> log) {
  const std::lock_guard lock(mutex_);
  std::erase_if(logs_, [&](const auto& one) { return one.first == path; });
  if (logs_.size() == kMostKept) logs_.erase(logs_.begin());
  logs_.emplace_back(path, std::move(log));
}

}  // namespace prof::reports
