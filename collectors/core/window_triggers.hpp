// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WindowTriggers: events in the program that may open or close a window of its run, for the code
// that decides about windows (collectors/windows/window_runner.hpp). Nothing is reported while none
// is installed. Called on the program's threads, outside of InsideCall: a window may be opened or
// closed, with all that this involves, before a call returns. No function throws.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "collectors/core/growing_block.hpp"
#include "libprof/model/records.hpp"

namespace prof::collectors {

class WindowTriggers {
 public:
  virtual ~WindowTriggers() = default;

  /// The triggers that a range about to begin matches; 0: none. Allocates no memory and takes no
  /// lock.
  using Match = std::uint64_t;
  [[nodiscard]] virtual Match match(std::string_view domain, std::string_view text) noexcept = 0;

  /// A range that matches a trigger has begun. The token is for its end; 0: its end triggers
  /// nothing.
  using Token = std::uint64_t;
  [[nodiscard]] virtual Token range_begins(Match match, std::string_view text) noexcept = 0;
  virtual void range_ends(Token token) noexcept = 0;
  /// The thread ends with the range open: nothing may be opened or closed on it any more.
  virtual void thread_ends(Token token) noexcept = 0;

  /// The counterparts for start/end ranges, which may end on another thread.
  virtual void process_range_begins(Match match, std::string_view text, RangeId id) noexcept = 0;
  virtual void process_range_ends(RangeId id) noexcept = 0;

  /// cudaProfilerStart() has been called, or cudaProfilerStop() is being called.
  virtual void profiler(bool is_on) noexcept = 0;
};

inline constinit std::atomic<WindowTriggers*> g_window_triggers{nullptr};

/// Null: none is installed.
[[nodiscard]] inline WindowTriggers* window_triggers() noexcept {
  return g_window_triggers.load(std::memory_order_acquire);
}

/// The open push/pop ranges of a thread whose ends are triggers, in the order in which they were
/// opened. Threads: one.
class WatchedRanges {
 public:
  /// False: there are too many ranges.
  bool push(DomainId domain, int level, WindowTriggers::Token token) noexcept {
    if (count_ == entries_.size() && !entries_.grow(count_ + 1)) return false;
    entries_[count_++] = {domain, level, token};
    return true;
  }
  /// The token of the range that was open at that level of its domain; 0: none.
  WindowTriggers::Token pop(DomainId domain, int level) noexcept {
    for (std::uint32_t i = count_; i != 0; --i) {
      const Entry found = entries_[i - 1];
      if (found.domain != domain || found.level != level) continue;
      for (std::uint32_t above = i; above != count_; ++above) entries_[above - 1] = entries_[above];
      --count_;
      return found.token;
    }
    return 0;
  }
  /// Takes the token of any range, which is forgotten; 0: none is left.
  WindowTriggers::Token take() noexcept { return count_ == 0 ? 0 : entries_[--count_].token; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  void clear() noexcept {
    count_ = 0;
    entries_.shrink();
  }

  struct Entry {
    DomainId domain;
    int level = 0;
    WindowTriggers::Token token = 0;
  };
  /// To be attached to its owner's memory before any use.
  GrowingBlock<Entry>& entries() noexcept { return entries_; }

 private:
  GrowingBlock<Entry> entries_;
  std::uint32_t count_ = 0;
};

}  // namespace prof::collectors
