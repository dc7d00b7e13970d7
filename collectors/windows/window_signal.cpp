// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/windows/window_signal.hpp"

#include <signal.h>

#include <atomic>
#include <cerrno>

namespace prof::collectors {
namespace {

/// The program's action for the signal, in a form that a handler can read at any time: the latest
/// of two copies.
struct Before {
  struct sigaction actions[2];
  std::atomic<unsigned> latest{0};
};

constinit std::atomic<int> g_signal{0};
constinit std::atomic<sem_t*> g_wake{nullptr};
constinit std::atomic<std::uint32_t> g_signals{0};
constinit Before g_before{};
struct sigaction g_first {};  ///< The action before our first one.
/// Whether the thread is in our handler, or in the program's handler that ours has called.
__thread bool t_is_in_handler __attribute__((tls_model("initial-exec"))) = false;

const struct sigaction& before() {
  return g_before.actions[g_before.latest.load(std::memory_order_acquire) % 2];
}

void call(const struct sigaction& program, int signal, siginfo_t* info, void* context) {
  if ((program.sa_flags & SA_SIGINFO) != 0) {
    program.sa_sigaction(signal, info, context);
  } else if (program.sa_handler != SIG_DFL && program.sa_handler != SIG_IGN) {
    program.sa_handler(signal);
  }
}

void on_signal(int signal, siginfo_t* info, void* context) {
  // The program's handler calls the one that it has replaced, which it takes for the first.
  if (t_is_in_handler) return call(g_first, signal, info, context);
  const int error = errno;
  g_signals.fetch_add(1, std::memory_order_relaxed);
  if (sem_t* wake = g_wake.load(std::memory_order_relaxed)) sem_post(wake);
  errno = error;
  t_is_in_handler = true;
  call(before(), signal, info, context);
  t_is_in_handler = false;
}

bool is_ours(const struct sigaction& action) { return action.sa_sigaction == on_signal; }
/// Whether this is our action, put back by signal(), which knows no flags: the program means the
/// action before its own.
bool is_restored(const struct sigaction& action) {
  return is_ours(action) && (action.sa_flags & SA_SIGINFO) == 0;
}

/// Our action, which runs as the program's would.
struct sigaction like(const struct sigaction& program) {
  struct sigaction action = program;
  action.sa_sigaction = on_signal;
  // A handler that is reset after one signal would let the next one end the program.
  action.sa_flags = program.sa_flags | SA_SIGINFO;
  // NOLINTNEXTLINE(cppcoreguidelines-narrowing-conversions): the macro is unsigned.
  action.sa_flags &= static_cast<int>(~SA_RESETHAND);
  const bool has_handler = (program.sa_flags & SA_SIGINFO) != 0 ||
                           (program.sa_handler != SIG_DFL && program.sa_handler != SIG_IGN);
  if (!has_handler) {
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
  }
  return action;
}

}  // namespace

void listen_to_signal(int signal, sem_t& wake) {
  g_wake.store(&wake, std::memory_order_relaxed);
  g_signal.store(signal, std::memory_order_relaxed);
  sigaction(signal, nullptr, &g_first);
  keep_listening();
}

void keep_listening() {
  const int signal = g_signal.load(std::memory_order_relaxed);
  struct sigaction program {};
  if (signal == 0 || sigaction(signal, nullptr, &program) != 0) return;
  if (is_restored(program)) program = g_first;
  if (is_ours(program)) return;
  const unsigned next = g_before.latest.load(std::memory_order_relaxed) + 1;
  g_before.actions[next % 2] = program;
  g_before.latest.store(next, std::memory_order_release);
  const struct sigaction ours = like(program);
  struct sigaction replaced {};
  sigaction(signal, &ours, &replaced);
  // The program set it between the two calls: the next check would find our action.
  if (!is_ours(replaced) && replaced.sa_sigaction != program.sa_sigaction) {
    g_before.actions[(next + 1) % 2] = replaced;
    g_before.latest.store(next + 1, std::memory_order_release);
  }
}

std::uint32_t take_signals() { return g_signals.exchange(0, std::memory_order_relaxed); }

void stop_listening() noexcept {
  const int signal = g_signal.exchange(0, std::memory_order_relaxed);
  struct sigaction now {};
  if (signal == 0 || sigaction(signal, nullptr, &now) != 0 || !is_ours(now)) return;
  const struct sigaction program = before();
  sigaction(signal, &program, nullptr);
}

}  // namespace prof::collectors
