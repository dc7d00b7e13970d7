// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The page that prof-run's watcher shares with the collector in the process that prof-run became
// (docs/decisions/0004-harmless.md): so that one of the two says that there is no trace, and
// the collector can ask why. Lock-free; what is in it crosses two builds of the same version.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace prof {

inline constexpr const char* kWatcherVariable = "PROF_WATCHER";  ///< A path of the watcher's /proc.

class WatcherPage {
 public:
  /// A new page, as the descriptor of a file (close-on-exec), and mapped. Null: none can be had.
  static WatcherPage* create(std::string_view run_id, int& descriptor);
  /// The page at `path` if it is that of the run, mapped so that a forked child does not have it.
  static WatcherPage* open(const char* path, std::string_view run_id);

  /// All is said, or there is nothing to say: the watcher keeps silent.
  void settle() { state_.store(kSettled, std::memory_order_release); }
  [[nodiscard]] bool is_settled() const {
    return state_.load(std::memory_order_acquire) == kSettled;
  }
  [[nodiscard]] bool is_asked() const { return state_.load(std::memory_order_acquire) == kAsked; }

  /// The collector: asks the watcher why there is no trace; empty: it does not answer.
  std::string ask(std::chrono::milliseconds stall_timeout);
  /// The watcher: waits until it is asked.
  void wait_until_asked();
  void answer(std::string_view why);

  /// The watcher's, known before the program starts; 0: there is none.
  std::atomic<pid_t> watcher{0};

 private:
  enum State : std::uint32_t { kSilent, kAsked, kAnswered, kSettled };
  void change(State to);
  /// False: `until` has passed first.
  bool wait_while(State state, const std::chrono::steady_clock::time_point* until);

  std::atomic<std::uint32_t> state_{kSilent};
  std::uint32_t length_ = 0;
  char text_[2048] = {};
};

}  // namespace prof
