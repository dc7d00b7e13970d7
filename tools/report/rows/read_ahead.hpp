// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ReadAhead: the traces that come next are attributed by other threads, each by a reader of its
// own, while one is reported. Who reads trace after trace finds most of them done, in any order
// that he asks for; nothing that he sees depends on the threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace prof {
class WorkLog;
class WorkTimeline;
}  // namespace prof

namespace prof::reports {

class ReadAhead {
 public:
  /// The result for a trace. Without a log it could not be read: a caller that wants it tries by
  /// itself, and sees why.
  struct Done {
    std::shared_ptr<const WorkLog> log;
    std::shared_ptr<WorkTimeline> timeline;  ///< Null: none is wanted. Keeps its reader alive.
  };
  /// Called by the threads, which stop early if nobody will want it.
  using Read = std::function<Done(const std::string& path, const std::stop_token& stop)>;

  ReadAhead(std::size_t threads, Read read);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  /// The trace is wanted now, and those behind it soon. Waits for a thread that is at work on it.
  /// Nullopt: none is, and none will be.
  std::optional<Done> take(const std::string& path, std::span<const std::string> behind);

 private:
  struct Task {
    bool is_done = false;
    Done done;
  };

  void work(const std::stop_token& stop);
  void plan(std::span<const std::string> paths);

  const Read read_;
  const std::size_t most_;  // tasks
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> planned_;
  std::map<std::string, Task> begun_;
  std::vector<std::jthread> threads_;
};

}  // namespace prof::reports
