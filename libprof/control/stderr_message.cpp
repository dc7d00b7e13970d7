// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages on stderr, see stderr_message.hpp.
#include "libprof/control/stderr_message.hpp"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "libprof/base/clock.hpp"

namespace prof {
namespace {

constexpr std::int64_t kPatienceNs = 200'000'000;
constexpr std::int64_t kNsPerMs = 1'000'000;

/// An identity is written once, before any other thread can see it.
struct Slot {
  ProfStderrIdentity identity;
  std::atomic<bool> is_taken;
};
constinit std::array<Slot, 2> g_slots{};  ///< As seen by the collector, and as seen by libprof.so.
constinit std::atomic<const ProfStderrIdentity*> g_first_seen{nullptr};
constinit std::atomic<bool> g_is_stuck{false};  ///< The last line timed out.

/// Blocks the signals that a write may raise and discards those it did raise. SIGPIPE and SIGXFSZ
/// go to the thread whose write failed; SIGTTOU is not sent to a thread that blocks it.
class HeldSignals {
 public:
  HeldSignals() noexcept {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
    sigset_t held;
    sigemptyset(&held);
    for (int signal : {SIGPIPE, SIGXFSZ, SIGTTOU}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
    sigpending(&pending_);
  }
  ~HeldSignals() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    pthread_setcancelstate(cancel_state_, nullptr);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  void take_back(int signal) noexcept {
    if (sigismember(&pending_, signal) == 1) return;  // The program's own.
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    const timespec at_once{};
    while (sigtimedwait(&one, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }

 private:
  sigset_t before_{}, pending_{};
  int cancel_state_ = PTHREAD_CANCEL_ENABLE;
};

/// Waits until a write does not block. A pipe that is ready takes PIPE_BUF bytes.
bool wait_until_ready(std::int64_t deadline) noexcept {
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>(deadline - clock_ns(CLOCK_MONOTONIC), 0);
    pollfd stderr_poll{STDERR_FILENO, POLLOUT, 0};
    const int ready = poll(&stderr_poll, 1, static_cast<int>((left + kNsPerMs - 1) / kNsPerMs));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

ssize_t write_once(std::string_view text, std::uint32_t type) noexcept {
  if (type == S_IFSOCK)
    return send(STDERR_FILENO, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return write(STDERR_FILENO, text.data(), text.size());
}

/// False: the descriptor no longer refers to its original file. A line counts as written even if
/// its reader does not take it.
bool write_line(std::string_view text, const ProfStderrIdentity& seen) noexcept {
  HeldSignals signals;
  const std::int64_t start = clock_ns(CLOCK_MONOTONIC);
  const std::int64_t deadline =
      g_is_stuck.load(std::memory_order_relaxed) ? 0 : start + kPatienceNs;
  while (!text.empty()) {
    bool is_stuck = !wait_until_ready(deadline);
    // Checked after the wait, during which another thread may have replaced descriptor 2.
    if (!is_same_object(seen, stderr_identity())) return false;
    const ssize_t written = is_stuck ? 0 : write_once(text, seen.type);
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE || errno == EFBIG) {
      signals.take_back(errno == EPIPE ? SIGPIPE : SIGXFSZ);
      return true;
    } else if (errno != EINTR && errno != EAGAIN) {
      return true;
    } else {
      is_stuck = clock_ns(CLOCK_MONOTONIC) >= deadline;
    }
    if (is_stuck) {
      g_is_stuck.store(true, std::memory_order_relaxed);
      return true;
    }
  }
  g_is_stuck.store(false, std::memory_order_relaxed);
  return true;
}

/// The line in the form in which it is written.
class Text {
 public:
  Text(std::string_view speaker, std::string_view line) noexcept {
    constexpr std::string_view kColon = ": ", kCut = "...";
    const std::size_t room = PIPE_BUF - speaker.size() - kColon.size() - 1;
    add(speaker);
    add(kColon);
    if (line.size() <= room) {
      add(line);
    } else {
      std::size_t end = room - kCut.size();
      while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;  // UTF-8
      add(line.substr(0, end));
      add(kCut);
    }
    characters_[length_++] = '\n';
  }
  [[nodiscard]] std::string_view view() const noexcept { return {characters_.data(), length_}; }

 private:
  void add(std::string_view part) noexcept {
    for (char c : part)
      characters_[length_++] = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }

  std::array<char, PIPE_BUF> characters_;
  std::size_t length_ = 0;
};

}  // namespace

void remember_stderr(const ProfStderrIdentity& identity) noexcept {
  const ProfStderrIdentity* first = g_first_seen.load(std::memory_order_acquire);
  if (first != nullptr && first->seen_ns <= identity.seen_ns) return;
  for (Slot& slot : g_slots) {
    if (slot.is_taken.exchange(true, std::memory_order_acq_rel)) continue;
    slot.identity = identity;
    g_first_seen.store(&slot.identity, std::memory_order_release);
    return;
  }
}

void print_message(std::string_view line) noexcept { print_message_of("prof", line); }

bool print_message_of(std::string_view speaker, std::string_view line) noexcept {
  const ProfStderrIdentity* seen = g_first_seen.load(std::memory_order_acquire);
  if (seen == nullptr) return false;
  const int before = errno;
  const bool is_recorded = write_line(Text(speaker, line).view(), *seen);
  errno = before;
  return is_recorded;
}

}  // namespace prof
