// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/attribute_once.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/log/work_log.hpp"

namespace prof::reports {
namespace {

/// Of all logs; the rest of them is in scratch files.
constexpr std::size_t kLogBytes = std::size_t{32} << 20;

/// Those that were asked for last.
class Logs {
 public:
  explicit Logs(std::size_t traces)
      : bytes_of_each_(kLogBytes / std::clamp<std::size_t>(traces, 1, kMostKept)) {}

  [[nodiscard]] std::size_t bytes_of_each() const { return bytes_of_each_; }
  /// Of the trace at that path; null: there is none.
  std::shared_ptr<const WorkLog> find(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(logs_, path, &Log::path);
    if (found == logs_.end()) return nullptr;
    std::rotate(found, found + 1, logs_.end());
    return logs_.back().log;
  }
  void keep(std::string path, std::shared_ptr<const WorkLog> log) {
    const std::lock_guard lock(mutex_);
    std::erase_if(logs_, [&](const Log& one) { return one.path == path; });
    if (logs_.size() == kMostKept) logs_.erase(logs_.begin());
    logs_.push_back({std::move(path), std::move(log)});
  }

 private:
  struct Log {
    std::string path;
    std::shared_ptr<const WorkLog> log;
  };

  const std::size_t bytes_of_each_;
  std::mutex mutex_;
  std::vector<Log> logs_;
};

/// Work with copies and sets, which are kept, too, and passed on if they are wanted.
class LoggedWork final : public AttributedWork {
 public:
  LoggedWork(std::unique_ptr<AttributedWork> work, TraceReader::Work wanted, std::string path,
             Logs& logs)
      : work_(std::move(work)),
        with_copies_(wanted == TraceReader::Work::kKernelsAndCopies),
        path_(std::move(path)),
        logs_(logs),
        log_(std::make_shared<WorkLog>(logs.bytes_of_each())) {}

  const AttributedRow* next() override {
    while (const AttributedRow* const row = work_->next()) {
      log_->add(*row);
      if (with_copies_ || row->gpu.kind == GpuRow::Kind::kKernel) return row;
    }
    if (log_ != nullptr && work_->status() && log_->finish(work_->counts())) {
      logs_.keep(path_, std::move(log_));
    }
    log_ = nullptr;
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return work_->status(); }
  [[nodiscard]] AttributionCounts counts() const override { return work_->counts(); }

 private:
  std::unique_ptr<AttributedWork> work_;
  const bool with_copies_;
  const std::string path_;
  Logs& logs_;
  std::shared_ptr<WorkLog> log_;  // null: it is complete
};

}  // namespace

AttributeWork attribute_once(AttributeWork attribute, std::size_t traces) {
  return [attribute = std::move(attribute), logs = std::make_shared<Logs>(traces)](
             TraceReader& trace, TraceReader::Work work) -> std::unique_ptr<AttributedWork> {
    if (auto log = logs->find(trace.path())) return WorkLog::read(std::move(log), work);
    return std::make_unique<LoggedWork>(attribute(trace, TraceReader::Work::kKernelsAndCopies),
                                        work, trace.path(), *logs);
  };
}

}  // namespace prof::reports
