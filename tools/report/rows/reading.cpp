// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/reading.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "analyzers/attributor.hpp"

namespace prof::reports {
namespace {

/// Memory for all logs; the rest of them is in scratch files.
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

/// Work with copies and sets, which are heard, and passed on if they are wanted.
class Reading::HeardWork final : public AttributedWork {
 public:
  HeardWork(std::unique_ptr<AttributedWork> work, TraceReader::Work wanted,
            std::vector<std::unique_ptr<WorkListener>> listeners)
      : work_(std::move(work)),
        with_copies_(wanted == TraceReader::Work::kKernelsAndCopies),
        listeners_(std::move(listeners)) {}

  const AttributedRow* next() override {
    while (const AttributedRow* const row = work_->next()) {
      for (const auto& listener : listeners_) listener->add(*row);
      if (with_copies_ || row->gpu.kind == GpuRow::Kind::kKernel) return row;
    }
    if (status()) {
      for (const auto& listener : listeners_) listener->finish(counts());
    }
    listeners_.clear();
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return work_->status(); }
  [[nodiscard]] AttributionCounts counts() const override { return work_->counts(); }

 private:
  std::unique_ptr<AttributedWork> work_;
  const bool with_copies_;
  std::vector<std::unique_ptr<WorkListener>> listeners_;
};

class Reading::Logging final : public WorkListener {
 public:
  Logging(std::string path, Reading& reading)
      : path_(std::move(path)),
        reading_(reading),
        log_(std::make_shared<WorkLog>(kLogBytes / reading.traces_)) {}

  void add(const AttributedRow& row) override { log_->add(row); }
  void finish(const AttributionCounts& counts) override {
    if (log_->finish(counts)) reading_.keep_log(path_, std::move(log_));
  }

 private:
  const std::string path_;
  Reading& reading_;
  std::shared_ptr<WorkLog> log_;
};

class Reading::Timing final : public WorkListener {
 public:
  Timing(TraceReader& trace, Reading& reading)
      : trace_(trace), reading_(reading), timeline_(reading.new_timeline(trace, Detail::kCauses)) {}

  void add(const AttributedRow& row) override { timeline_->add(row); }
  void finish(const AttributionCounts& /*counts*/) override {
    reading_.keep_timeline(trace_, std::move(timeline_));
  }

 private:
  TraceReader& trace_;
  Reading& reading_;
  std::shared_ptr<WorkTimeline> timeline_;
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

void Reading::read_ahead(const TraceSet& traces, std::size_t jobs, bool with_timelines) {
  jobs_ = jobs;
  if (traces.size() < 2 || jobs < 2) return;
  has_timelines_ = with_timelines;
  for (const TraceMember& trace : traces.members()) {
    places_.emplace(&trace.reader, paths_.size());
    paths_.push_back(trace.reader.path());
  }
  ahead_ =
      std::make_unique<ReadAhead>(std::min(jobs, paths_.size()) - 1,
                                  [this](const std::string& path, const std::stop_token& stop) {
                                    return read_one(path, stop);
                                  });
}

/// An exception ends this trace's reading alone: whoever wants it meets its reason himself.
ReadAhead::Done Reading::read_one(const std::string& path, const std::stop_token& stop) try {
  struct Own {
    std::unique_ptr<TraceReader> reader;
    std::optional<WorkTimeline> timeline;
  };
  Result<std::unique_ptr<TraceReader>> opened = TraceReader::open(path);
  if (!opened) return {};
  const auto own = std::make_shared<Own>();
  own->reader = std::move(*opened);
  if (has_timelines_) {
    own->timeline.emplace(*own->reader, std::make_shared<IdleCauses>(*own->reader),
                          WorkTimeline::TakesRange(), traces_);
  }
  const auto log = std::make_shared<WorkLog>(kLogBytes / traces_);
  const auto work = work_of_one(*own->reader, TraceReader::Work::kKernelsAndCopies);
  while (const AttributedRow* const row = work->next()) {
    if (stop.stop_requested()) return {};
    log->add(*row);
    if (own->timeline) own->timeline->add(*row);
  }
  const bool is_read = work->status() && (!own->timeline || own->timeline->status());
  if (!is_read || !log->finish(work->counts())) return {};
  if (!own->timeline) return {.log = log, .timeline = nullptr};
  return {.log = log, .timeline = std::shared_ptr<WorkTimeline>(own, &*own->timeline)};
} catch (const std::exception&) {
  return {};
}

std::shared_ptr<const WorkLog> Reading::take_ahead(TraceReader& trace) {
  const auto place = places_.find(&trace);
  if (ahead_ == nullptr || place == places_.end()) return nullptr;
  const auto behind = std::span<const std::string>(paths_).subspan(place->second + 1);
  std::optional<ReadAhead::Done> done = ahead_->take(trace.path(), behind);
  if (!done || done->log == nullptr) return nullptr;
  if (keeps_ != Keeps::kNothing) keep_log(trace.path(), done->log);
  if (done->timeline != nullptr) keep_timeline(trace, std::move(done->timeline));
  return std::move(done->log);
}

void Reading::keep_timeline(const TraceReader& trace, std::shared_ptr<WorkTimeline> timeline) {
  if (timelines_.size() == kMostKept) timelines_.erase(timelines_.begin());
  timelines_[&trace] = std::move(timeline);
}

std::unique_ptr<AttributedWork> Reading::work(TraceReader& trace, TraceReader::Work wanted) {
  std::shared_ptr<const WorkLog> log = find_log(trace.path());
  if (log == nullptr) log = take_ahead(trace);
  std::vector<std::unique_ptr<WorkListener>> listeners;
  if (listen_ && heard_.insert(&trace).second) listeners.push_back(listen_(trace));
  if (log == nullptr && keeps_ != Keeps::kNothing) {
    listeners.push_back(std::make_unique<Logging>(trace.path(), *this));
    if (keeps_ == Keeps::kTimelines && !timelines_.contains(&trace)) {
      listeners.push_back(std::make_unique<Timing>(trace, *this));
    }
  }
  const TraceReader::Work read = listeners.empty() ? wanted : TraceReader::Work::kKernelsAndCopies;
  auto work = log != nullptr ? WorkLog::read(std::move(log), read) : work_of_one(trace, read);
  if (listeners.empty()) return work;
  return std::make_unique<HeardWork>(std::move(work), wanted, std::move(listeners));
}

std::optional<std::int64_t> Reading::last_step(TraceReader& trace) {
  const auto [found, is_new] = last_steps_.try_emplace(&trace);
  if (!is_new) return found->second;
  const auto kernels = work(trace, TraceReader::Work::kKernels);
  while (const AttributedRow* const row = kernels->next()) {
    found->second = std::max(found->second, row->attribution.step);
  }
  return found->second;
}

void Reading::listen(Listen listen) {
  listen_ = std::move(listen);
  heard_.clear();
}

std::shared_ptr<WorkTimeline> Reading::timeline(TraceReader& trace, Detail detail) {
  constexpr auto kAll = TraceReader::Work::kKernelsAndCopies;
  if (!timelines_.contains(&trace)) take_ahead(trace);
  if (!timelines_.contains(&trace) && keeps_ == Keeps::kTimelines) {
    const auto first = work(trace, kAll);
    while (first->next() != nullptr) {
    }
  }
  if (const auto kept = timelines_.find(&trace); kept != timelines_.end()) {
    std::shared_ptr<WorkTimeline> found = kept->second;
    if (keeps_ != Keeps::kTimelines) timelines_.erase(kept);
    found->rewind();
    return found;
  }
  auto made = new_timeline(trace, detail);
  made->read(*work(trace, kAll));
  return made;
}

std::shared_ptr<WorkTimeline> Reading::new_timeline(TraceReader& trace, Detail detail,
                                                    WorkTimeline::TakesRange takes_range) {
  return std::make_shared<WorkTimeline>(
      trace, detail == Detail::kCauses ? idle_causes(trace) : nullptr, std::move(takes_range),
      keeps_ == Keeps::kTimelines ? traces_ : 1);
}

std::shared_ptr<IdleCauses> Reading::idle_causes(TraceReader& trace) {
  if (const auto kept = causes_.find(&trace); kept != causes_.end()) return kept->second;
  auto made = std::make_shared<IdleCauses>(trace);
  if (keeps_ == Keeps::kNothing) return made;
  if (causes_.size() == kMostKept) causes_.erase(causes_.begin());
  return causes_[&trace] = std::move(made);
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
