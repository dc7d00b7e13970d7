// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/graphs/launched_work.hpp"

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/graphs/body_launches.hpp"

namespace prof {
namespace {

class LaunchedWork final : public GpuCursor {
 public:
  LaunchedWork(TraceReader& reader, TraceReader::Work work, BodyLaunches launches)
      : launches_(std::move(launches)),
        work_(reader.gpu_work(work)),
        bodies_(reader.gpu_work(work)),
        rest_(reader.gpu_work(work)) {
    read_ahead();
  }

  const GpuRow* next() override {
    if (!held_.empty()) held_.pop_back();
    if (held_.empty()) find_next_launch();
    if (!held_.empty()) return &held_.back();
    if (ahead_ != nullptr) {
      row_ = *ahead_;
      read_ahead();
      return &row_;
    }
    return next_without_launch();
  }

  [[nodiscard]] Status status() const override {
    for (const auto* rows : {&work_, &bodies_, &rest_}) {
      if (!(*rows)->status()) return (*rows)->status();
    }
    return launches_.status();
  }

 private:
  using Launch = BodyLaunches::Launch;

  void read_ahead() {
    do {
      ahead_ = work_->next();
    } while (ahead_ != nullptr && is_body_work(*ahead_));
  }

  /// Fills held_ with the bodies of the next launch if that is not after ahead_.
  void find_next_launch() {
    std::vector<Launch>& all = launches_.launches();
    while (at_ < all.size()) {
      Launch& launch = all[at_];
      if (ahead_ != nullptr && ahead_->correlation <= launch.call.correlation) return;
      ++at_;
      if (launch.bodies == 0) continue;
      std::vector<GpuRow>& waiting = waiting_[launch.call.correlation];
      while (waiting.size() < launch.bodies && read_body()) {
      }
      held_.assign(waiting.rbegin(), waiting.rend());  // the last one is the next
      waiting_.erase(launch.call.correlation);
      if (!held_.empty()) return;
    }
  }

  /// Reads one more body's work into waiting_.
  bool read_body() {
    const GpuRow* row = nullptr;
    do {
      row = bodies_->next();
      if (row == nullptr || row->correlation != 0) return false;
    } while (!is_body_work(*row));
    const auto [launch, is_certain] = launches_.find_next(*row);
    if (launch == nullptr) return true;
    GpuRow& body = waiting_[launch->call.correlation].emplace_back(*row);
    body.launch_start_ns = launch->call.start_ns;
    if (!is_certain) return true;
    body.launch = launch->call.correlation;
    body.launched = true;
    body.thread = launch->call.thread;
    body.function = launch->call.function;
    body.stack = launch->call.stack;
    body.launch_duration_ns = launch->call.duration_ns;
    return true;
  }

  const GpuRow* next_without_launch() {
    if (!in_rest_) {
      in_rest_ = true;
      launches_.rewind();
    }
    while (const GpuRow* const row = rest_->next()) {
      if (row->correlation != 0) return nullptr;
      if (!is_body_work(*row) || launches_.find_next(*row).launch != nullptr) continue;
      row_ = *row;
      row_.launch_start_ns = row_.start_ns;
      return &row_;
    }
    return nullptr;
  }

  BodyLaunches launches_;
  std::unique_ptr<GpuCursor> work_, bodies_, rest_;
  const GpuRow* ahead_ = nullptr;                                 // the next row of work_
  GpuRow row_;                                                    // the last one
  std::size_t at_ = 0;                                            // the next launch
  std::unordered_map<Correlation, std::vector<GpuRow>> waiting_;  // for their launches
  std::vector<GpuRow> held_;                                      // of the current launch
  bool in_rest_ = false;
};

}  // namespace

std::unique_ptr<GpuCursor> launched_work(TraceReader& reader, TraceReader::Work work) {
  BodyLaunches launches(reader, work);
  if (!launches.any()) return reader.gpu_work(work);
  return std::make_unique<LaunchedWork>(reader, work, std::move(launches));
}

}  // namespace prof
