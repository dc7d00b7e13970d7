// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/read_ahead.hpp"

#include <algorithm>
#include <utility>

namespace prof::reports {

ReadAhead::ReadAhead(std::size_t threads, Read read) : read_(std::move(read)), most_(2 * threads) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

/// The threads end before what they work with.
ReadAhead::~ReadAhead() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

std::optional<ReadAhead::Done> ReadAhead::take(const std::string& path,
                                               std::span<const std::string> behind) {
  std::unique_lock lock(mutex_);
  std::erase(planned_, path);
  const auto found = begun_.find(path);
  if (found == begun_.end()) {
    plan(behind);
    return std::nullopt;
  }
  changed_.wait(lock, [&] { return found->second.is_done; });
  Done done = std::move(found->second.done);
  begun_.erase(found);
  plan(behind);
  return done;
}

void ReadAhead::plan(std::span<const std::string> paths) {
  for (const std::string& path : paths) {
    if (planned_.size() + begun_.size() >= most_) break;
    const bool is_planned = std::ranges::find(planned_, path) != planned_.end();
    if (!is_planned && !begun_.contains(path)) planned_.push_back(path);
  }
  changed_.notify_all();
}

void ReadAhead::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !planned_.empty(); })) {
    const std::string path = std::move(planned_.front());
    planned_.pop_front();
    Task& task = begun_[path];
    lock.unlock();
    Done done = read_(path, stop);
    lock.lock();
    task.done = std::move(done);
    task.is_done = true;
    changed_.notify_all();
  }
}

}  // namespace prof::reports
