// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WindowRunner: opens and closes the windows of a run when events require it (WindowPlan,
// docs/capture.md). A window opens and closes on the program's thread that triggers it, before its
// call returns, so that it holds the program's work from there on and nothing after; triggers by
// time or by signal are handled on a thread of our own. One step at a time: a thread that needs
// another step waits for it.
//
//                    start()          plan wants one: open()
//   waits for CUDA ──────────► closed ──────────────────────► open
//                              │    ▲ ◄──────────────────────   │
//                              │    │ plan wants none: close()  │
//          plan is over: over()│    │ open() failed             │ end(), claim_end()
//                              ▼    │                           ▼
//                             ended ◄───────────────────────────
//
// An arrow is a step (claim_step(), take()). The process's captures have states of their own, to
// which open() and close() lead (collectors/inject/capture_state.hpp).
// Lifetime: one heap object per process, never freed. Threads: any.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collectors/core/signal_safe_mutex.hpp"
#include "collectors/core/window_triggers.hpp"
#include "collectors/windows/window_costs.hpp"
#include "collectors/windows/window_plan.hpp"

namespace prof::collectors {

class WindowRunner final : public WindowTriggers {
 public:
  /// The runner's actions. Called on one thread at a time, without a lock.
  struct Actions {
    /// False: the window could not be opened.
    std::function<bool(const std::string& opener)> open;
    std::function<void(const std::string& closer)> close;
    std::function<std::uint64_t()> kernels;  ///< Number of kernels launched in the open window.
    std::function<void()> over;              ///< No window can come any more.
  };

  explicit WindowRunner(CaptureSpec spec);

  /// CUDA starts: from here on windows open. Throws std::system_error if the thread for triggers by
  /// time or by signal cannot be created.
  void start(Actions actions);
  /// The process ends: nothing is opened or closed from here on.
  void end() noexcept;
  /// Ends windows on request: true for the caller that then ends what is open, once no step is
  /// being taken any more. False: windows have not started, or another caller ends them.
  bool claim_end();
  /// Opens or closes by command, see WindowPlan::control().
  void control(bool is_on);

  [[nodiscard]] bool is_open();
  /// The time that windows have cost; empty: there was none.
  [[nodiscard]] std::string costs();
  /// Triggers that never came, and the ones that came instead; empty: all came.
  [[nodiscard]] std::string what_never_came();

  /// For use around a fork: the child finds no lock held.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

  // WindowTriggers.
  [[nodiscard]] Match match(std::string_view domain, std::string_view text) noexcept override;
  [[nodiscard]] Token range_begins(Match match, std::string_view text) noexcept override;
  void range_ends(Token token) noexcept override;
  void thread_ends(Token token) noexcept override;
  void process_range_begins(Match match, std::string_view text, RangeId id) noexcept override;
  void process_range_ends(RangeId id) noexcept override;
  void profiler(bool is_on) noexcept override;

 private:
  /// Changes the plan; true: the change was made.
  template <typename Change>
  bool change(Change change) noexcept;
  struct Step {
    enum What : std::uint8_t { kNothing, kWait, kOpen, kClose, kOver } what = kNothing;
    std::string why = {};
  };
  void settle() noexcept;
  Step::What claim_and_take();
  /// The next step for this thread.
  Step claim_step();
  void take(const Step& step);
  void watch_time();
  void wait(std::int64_t until_ns);

  SignalSafeMutex mutex_;
  WindowPlan plan_;    ///< Under the mutex, except for match().
  WindowCosts costs_;  ///< Under the mutex.
  bool is_ended_ = false;
  bool is_end_claimed_ = false;
  bool is_settling_ = false;  ///< A step is being taken, by `settler_`.
  bool is_closing_ = false;   ///< That step is the end of a window.
  pthread_t settler_{};
  std::unordered_map<RangeId, Token> process_ranges_;  ///< The open ones; under the mutex.
  std::atomic<std::size_t> open_process_ranges_{0};
  /// Texts still to be looked at, until no more are kept.
  std::atomic<int> texts_to_see_;
  Actions actions_;
  sem_t wake_;  ///< Wakes the thread that watches the time.
};

}  // namespace prof::collectors
