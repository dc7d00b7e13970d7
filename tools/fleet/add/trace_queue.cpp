// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/add/trace_queue.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace prof::fleet {

TraceQueue::TraceQueue(std::span<const std::string> paths, unsigned threads, Read read)
    : paths_(paths), read_(std::move(read)), most_waiting_(std::size_t{2} * std::max(threads, 1U)) {
  try {
    for (unsigned i = 0; i < std::max(threads, 1U); ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The threads that were started do the work.
    if (threads_.empty()) throw;
  }
}

TraceQueue::~TraceQueue() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TraceQueue::work() {
  while (true) {
    const std::size_t index = next_++;
    if (index >= paths_.size()) return;
    ReadTrace trace = read_(paths_[index]);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stops_ || done_.size() < most_waiting_; });
    if (stops_) return;
    done_.push_back(std::move(trace));
    lock.unlock();
    changed_.notify_all();
  }
}

std::optional<ReadTrace> TraceQueue::next() {
  std::unique_lock lock(mutex_);
  if (taken_ == paths_.size()) return std::nullopt;
  changed_.wait(lock, [this] { return !done_.empty(); });
  ReadTrace trace = std::move(done_.front());
  done_.pop_front();
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  return trace;
}

}  // namespace prof::fleet
