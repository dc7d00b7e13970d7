// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/signal_safe_mutex.hpp"

#include <pthread.h>
#include <signal.h>

#include <cstdint>
#include <cstring>

namespace prof::collectors {
namespace {

__thread std::uint32_t t_depth __attribute__((tls_model("initial-exec"))) = 0;
/// The previous mask, in the kernel's form: a sigset_t is 16 times as large, and initial-exec
/// storage is scarce.
__thread std::uint64_t t_before __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

void block_signals() noexcept {
  if (t_depth == 0) {
    sigset_t most, before;
    sigfillset(&most);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
      sigdelset(&most, fault);
    }
    pthread_sigmask(SIG_BLOCK, &most, &before);
    // Stored only now, since a handler that ran before this may have been here, too.
    std::memcpy(&t_before, &before, sizeof t_before);
  }
  ++t_depth;
}

void unblock_signals() noexcept {
  if (--t_depth != 0) return;
  sigset_t before;
  sigemptyset(&before);
  std::memcpy(&before, &t_before, sizeof t_before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool signals_are_blocked() noexcept { return t_depth != 0; }

}  // namespace prof::collectors
