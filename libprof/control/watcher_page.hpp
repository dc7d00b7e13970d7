// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The page that prof-run's watcher shares with the collector in the process that prof-run became
// (docs/decisions/0004-harmless.md), so that one of the two reports that there is no trace, and the
// collector can ask for the reason. Lock-free; its contents are shared by two builds of the same
// version.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace prof {

/// Path of the page, in the watcher's /proc folder.
inline constexpr const char* kWatcherVariable = "PROF_WATCHER";

class WatcherPage {
 public:
  /// Creates a page, as the descriptor of a file (close-on-exec), and maps it. Null: that failed.
  static WatcherPage* create(std::string_view run_id, int& descriptor);
  /// Opens the page at `path` if it belongs to the run, mapped so that a forked child does not have
  /// it.
  static WatcherPage* open(const char* path, std::string_view run_id);

  /// Everything is reported, or there is nothing to report: the watcher keeps silent.
  void settle() { state_.store(kSettled, std::memory_order_release); }
  [[nodiscard]] bool is_settled() const {
    return state_.load(std::memory_order_acquire) == kSettled;
  }
  [[nodiscard]] bool is_asked() const { return state_.load(std::memory_order_acquire) == kAsked; }

  /// Called by the collector: asks the watcher why there is no trace; empty: it does not answer.
  std::string ask(std::chrono::milliseconds stall_timeout);
  /// Called by the watcher: waits until it is asked.
  void wait_until_asked();
  void answer(std::string_view why);

  /// The watcher's process id, known before the program starts; 0: there is none.
  std::atomic<pid_t> watcher{0};

 private:
  enum State : std::uint32_t { kSilent, kAsked, kAnswered, kSettled };
  void change(State to);
  /// False: `until` has passed before the state changed.
  bool wait_while(State state, const std::chrono::steady_clock::time_point* until);

  std::atomic<std::uint32_t> state_{kSilent};
  std::uint32_t length_ = 0;
  char text_[2048] = {};
};

}  // namespace prof
