// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceQueue: threads read traces, another one takes their rows. A few are kept until they are
// taken: a store that is slower than the readers makes them wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tools/fleet/add/trace_rows.hpp"

namespace prof::fleet {

/// A trace's identity, and its rows or why there are none.
struct ReadTrace {
  std::string path;
  Subject subject;
  bool is_there = false;  ///< In the store already: without rows.
  std::optional<TraceRows> rows;
  std::optional<Error> error;
};

class TraceQueue {
 public:
  /// Reads one trace. Called by all threads.
  using Read = std::function<ReadTrace(const std::string& path)>;

  TraceQueue(std::span<const std::string> paths, unsigned threads, Read read);
  TraceQueue(const TraceQueue&) = delete;
  TraceQueue& operator=(const TraceQueue&) = delete;
  /// Waits for traces that are being read, and reads no others.
  ~TraceQueue();

  /// Nullopt: all are taken. In no order.
  std::optional<ReadTrace> next();

 private:
  void work();

  const std::span<const std::string> paths_;
  const Read read_;
  const std::size_t most_waiting_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ReadTrace> done_;
  std::size_t taken_ = 0;
  bool stops_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace prof::fleet
