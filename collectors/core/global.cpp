// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/global.hpp"

#include <unistd.h>

namespace prof::collectors {
namespace {

/// The mutexes are held for a fork. Read only by the thread that holds them: another thread may
/// create global() between fork_prepare() and fork_parent().
__thread bool t_fork_prepared __attribute__((tls_model("initial-exec"))) = false;

}  // namespace

Global::Global() : objects(losses) {
  sem_init(&wake_semaphore, 0, 0);
  pthread_key_create(&exit_key, on_thread_exit);
}

Global::~Global() {
  pthread_key_delete(exit_key);
  sem_destroy(&wake_semaphore);
}

Global& make_global() noexcept {
  Global* shared = nullptr;
  // Out of memory here, there is no capture and no way to report it: the program ends as it would
  // at its own next allocation.
  auto* fresh = new Global;  // NOLINT(bugprone-unhandled-exception-at-new)
  if (!g_global.compare_exchange_strong(shared, fresh, std::memory_order_acq_rel)) {
    delete fresh;  // Another thread was faster.
    return *shared;
  }
  return *fresh;
}

void fork_prepare() noexcept {
  Global* shared = g_global.load(std::memory_order_acquire);
  if (shared == nullptr || is_dead(recording_epoch())) return;
  shared->registry_mutex.lock();
  shared->objects.lock_all();
  mapped_memory().lock();
  t_fork_prepared = true;
}

void fork_parent() noexcept {
  if (!t_fork_prepared) return;
  t_fork_prepared = false;
  Global& shared = global();
  mapped_memory().unlock();
  shared.objects.unlock_all();
  shared.registry_mutex.unlock();
}

void fork_child(bool goes_on) noexcept {
  if (is_dead(recording_epoch())) return;
  if (!goes_on) {
    g_epoch.store(kDeadEpoch, std::memory_order_relaxed);
    // The mutexes stay locked, since they are never used again; signals are unblocked.
    while (signals_are_blocked()) unblock_signals();
    return;
  }
  if (!t_fork_prepared) return;
  t_fork_prepared = false;
  Global& shared = global();
  mapped_memory().unlock();
  shared.objects.unlock_all();
  // Only the calling thread survives the fork; it has a new number.
  for (ThreadState* thread = shared.threads.load(); thread != nullptr; thread = thread->next) {
    if (thread == t_thread_state) {
      thread->os_tid = static_cast<std::uint32_t>(gettid());
      thread->generation = shared.os_tid_uses[thread->os_tid]++;
    } else if (thread->life.load() != ThreadState::Life::kFree) {
      recycle(shared, *thread);
    }
  }
  shared.registry_mutex.unlock();
}

}  // namespace prof::collectors
