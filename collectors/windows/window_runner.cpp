// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/windows/window_runner.hpp"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>
#include <utility>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/windows/window_signal.hpp"
#include "libprof/base/clock.hpp"
#include "libprof/model/step_text.hpp"

namespace prof::collectors {
namespace {

/// Limit for the texts that are looked at, since each look takes a lock.
constexpr int kTextsToSee = 256;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
/// Interval of checks: the program may set a handler of its own for the signal at any time.
constexpr std::int64_t kSignalIntervalNs = 100'000'000;
/// Time that a thread waits for the one that opens or closes a window.
constexpr std::int64_t kPatienceNs = 10'000'000'000;

std::int64_t steady_ns() { return clock_ns(CLOCK_MONOTONIC); }

}  // namespace

WindowRunner::WindowRunner(CaptureSpec spec)
    : plan_(std::move(spec)), texts_to_see_(plan_.watches_ranges() ? kTextsToSee : 0) {
  sem_init(&wake_, 0, 0);
}

void WindowRunner::start(Actions actions) {
  const int signal = plan_.spec().signal;
  if (signal != 0) listen_to_signal(signal, wake_);
  {
    const std::lock_guard lock(mutex_);
    actions_ = std::move(actions);
    plan_.begin(steady_ns());
    costs_.begin(steady_ns());
  }
  settle();
  start_internal_thread("prof-window", [this] { watch_time(); }).detach();
}

void WindowRunner::end() noexcept {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  sem_post(&wake_);
}

bool WindowRunner::claim_end() {
  {
    const std::lock_guard lock(mutex_);
    if (!actions_.open || std::exchange(is_end_claimed_, true)) return false;
    is_ended_ = true;
    sem_post(&wake_);
  }
  for (WaitTime waited; waited.passed_ns() < kPatienceNs;) {
    {
      const std::lock_guard lock(mutex_);
      if (!is_settling_) break;
    }
    const timespec pause{0, 200'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

template <typename Change>
bool WindowRunner::change(Change change) noexcept {
  if (is_dead(recording_epoch())) return false;
  try {
    const std::lock_guard lock(mutex_);
    if (is_ended_) return false;
    change();
    return true;
  } catch (...) {
    return false;  // Out of memory: this trigger is missed.
  }
}

void WindowRunner::control(bool is_on) {
  if (change([&] { plan_.control(is_on); })) settle();
}

WindowTriggers::Match WindowRunner::match(std::string_view domain, std::string_view text) noexcept {
  const Match found = plan_.match(domain, text);
  if (found == 0 && texts_to_see_.load(std::memory_order_relaxed) > 0) {
    texts_to_see_.fetch_sub(1, std::memory_order_relaxed);
    change([&] { plan_.saw(text); });
  }
  return found;
}

WindowTriggers::Token WindowRunner::range_begins(Match match, std::string_view text) noexcept {
  Token token = 0;
  const bool is_done = change([&] {
    if (const auto step = step_number(text)) costs_.step(*step, steady_ns());
    token = plan_.range_begins(match, text);
  });
  if (is_done) settle();
  return token;
}

void WindowRunner::range_ends(Token token) noexcept {
  if (change([&] { plan_.range_ends(token); })) settle();
}

void WindowRunner::thread_ends(Token token) noexcept {
  if (change([&] { plan_.range_ends(token); })) sem_post(&wake_);
}

void WindowRunner::process_range_begins(Match match, std::string_view text, RangeId id) noexcept {
  const bool is_done = change([&] {
    if (const auto step = step_number(text)) costs_.step(*step, steady_ns());
    if (const Token token = plan_.range_begins(match, text); token != 0) {
      process_ranges_[id] = token;
      open_process_ranges_.store(process_ranges_.size(), std::memory_order_relaxed);
    }
  });
  if (is_done) settle();
}

void WindowRunner::process_range_ends(RangeId id) noexcept {
  if (open_process_ranges_.load(std::memory_order_relaxed) == 0) return;
  bool is_watched = false;
  change([&] {
    const auto range = process_ranges_.find(id);
    if (range == process_ranges_.end()) return;
    plan_.range_ends(range->second);
    process_ranges_.erase(range);
    open_process_ranges_.store(process_ranges_.size(), std::memory_order_relaxed);
    is_watched = true;
  });
  if (is_watched) settle();
}

void WindowRunner::profiler(bool is_on) noexcept {
  if (change([&] { plan_.profiler(is_on); })) settle();
}

/// Takes steps until the window's state is the wanted one.
void WindowRunner::settle() noexcept {
  WaitTime waited;
  try {
    Step::What what = Step::kNothing;
    while ((what = claim_and_take()) != Step::kNothing) {
      if (what != Step::kWait) continue;
      if (waited.passed_ns() > kPatienceNs) return;
      const timespec pause{0, 200'000};
      nanosleep(&pause, nullptr);
    }
  } catch (...) {
    // Out of memory. The next change tries again.
  }
}

/// No handler of the program runs on this thread meanwhile: it might launch work, which waits for
/// locks that CUPTI holds during a step, or never return.
WindowRunner::Step::What WindowRunner::claim_and_take() {
  const SignalsBlocked quiet;
  const Step step = claim_step();
  if (step.what != Step::kNothing && step.what != Step::kWait) take(step);
  return step.what;
}

WindowRunner::Step WindowRunner::claim_step() {
  const std::lock_guard lock(mutex_);
  Step step;
  const bool wants = plan_.wants_window();
  if (is_ended_ || !actions_.open) return step;
  // Another thread is closing the window that this one has found open: the following work needs the
  // next window.
  if (is_settling_ && is_closing_ && wants && pthread_equal(settler_, pthread_self()) == 0)
    return {Step::kWait, {}};
  if (wants != plan_.is_open()) {
    step = {wants ? Step::kOpen : Step::kClose, wants ? plan_.opener() : plan_.closer()};
  } else if (plan_.is_over()) {
    step.what = Step::kOver;
  }
  if (step.what == Step::kNothing) return step;
  if (is_settling_) {
    // In a handler of a fault within the step. The step is followed by the one that the handler
    // requests.
    const bool is_own = pthread_equal(settler_, pthread_self()) != 0;
    return {is_own ? Step::kNothing : Step::kWait, {}};
  }
  settler_ = pthread_self();
  is_settling_ = true;
  is_closing_ = step.what == Step::kClose;
  return step;
}

void WindowRunner::take(const Step& step) {
  bool is_done = false;
  const std::int64_t before_ns = steady_ns();
  try {
    if (step.what == Step::kOpen) is_done = actions_.open(step.why);
    if (step.what == Step::kClose) actions_.close(step.why);
    if (step.what == Step::kOver) {
      g_window_triggers.store(nullptr, std::memory_order_release);
      actions_.over();
    }
  } catch (...) {
    is_done = false;  // Out of memory.
  }
  const std::lock_guard lock(mutex_);
  is_settling_ = false;
  if (step.what == Step::kOver) is_ended_ = true;
  const std::int64_t now = steady_ns();
  if (step.what == Step::kClose) {
    plan_.closed();
    costs_.closed(now, now - before_ns);
  }
  if (step.what != Step::kOpen) return;
  if (!is_done) return plan_.failed();
  plan_.opened(now);
  costs_.opened(now, now - before_ns);
  sem_post(&wake_);  // The end of the window is known only now.
}

void WindowRunner::watch_time() {
  for (;;) {
    const std::uint64_t kernels = actions_.kernels();
    std::int64_t until_ns = kNever;
    {
      const std::lock_guard lock(mutex_);
      if (is_ended_) return;
      for (std::uint32_t signals = take_signals(); signals != 0; --signals) plan_.toggle();
      plan_.pass(steady_ns(), kernels);
    }
    settle();
    {
      const std::lock_guard lock(mutex_);
      until_ns = plan_.next_ns().value_or(kNever);
    }
    if (plan_.spec().signal != 0) {
      keep_listening();
      until_ns = std::min(until_ns, steady_ns() + kSignalIntervalNs);
    }
    wait(until_ns);
  }
}

void WindowRunner::wait(std::int64_t until_ns) {
  if (until_ns == kNever) {
    while (sem_wait(&wake_) != 0 && errno == EINTR) {
    }
    return;
  }
  const timespec time{until_ns / 1'000'000'000, until_ns % 1'000'000'000};
  while (sem_clockwait(&wake_, CLOCK_MONOTONIC, &time) != 0 && errno == EINTR) {
  }
}

bool WindowRunner::is_open() {
  const std::lock_guard lock(mutex_);
  return plan_.is_open();
}

std::string WindowRunner::costs() {
  const std::lock_guard lock(mutex_);
  return costs_.text(steady_ns());
}

std::string WindowRunner::what_never_came() {
  const std::lock_guard lock(mutex_);
  const std::string missed = plan_.missed();
  if (missed.empty()) return {};
  const std::string seen = plan_.seen();
  return missed + " never came" + (seen.empty() ? "" : "; what came: " + seen);
}

}  // namespace prof::collectors
