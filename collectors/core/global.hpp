// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the whole process shares: whether a capture is on, the list of threads, the program's NVTX
// objects, the loss counters. One heap object, made on first use and never freed: handlers may be
// called at any time, also after the last flush at exit. Two words of it are plain atomics outside,
// so that a handler decides by one relaxed load whether it has anything to do.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "collectors/core/loss_counters.hpp"
#include "collectors/core/mapped_memory.hpp"
#include "collectors/core/program_objects.hpp"
#include "collectors/core/quiet_mutex.hpp"
#include "collectors/core/thread_state.hpp"

namespace prof::collectors {

/// 0: nothing is recorded. kDead: a forked child, nothing may be touched. Else the session's
/// number.
inline constinit std::atomic<std::uint32_t> g_epoch{0};
inline constexpr std::uint32_t kDeadEpoch = 0xffffffffU;

[[nodiscard]] inline std::uint32_t recording_epoch() noexcept {
  return g_epoch.load(std::memory_order_relaxed);
}
[[nodiscard]] inline bool is_dead(std::uint32_t epoch) noexcept { return epoch == kDeadEpoch; }

struct Global {
  Global();
  ~Global();
  Global(const Global&) = delete;
  Global& operator=(const Global&) = delete;

  LossCounters losses;
  ProgramObjects objects;

  std::atomic<ThreadState*> threads{nullptr};       ///< All states ever made, newest first.
  std::atomic<std::uint32_t> ring_bytes{2U << 20};  ///< For threads to come; a power of two.
  std::atomic<std::uint64_t> next_range_block{1};

  /// Wakes the worker; cheap when it was woken already.
  void wake() noexcept {
    if (!wake_pending.exchange(true, std::memory_order_acq_rel)) sem_post(&wake_semaphore);
  }
  sem_t wake_semaphore;
  std::atomic<bool> wake_pending{false};

  std::uint32_t last_epoch = 0;  ///< Under registry_mutex.

  // The registry of threads, under registry_mutex.
  QuietMutex registry_mutex;
  ThreadState* free_threads = nullptr;
  bool consumer_active = false;  ///< A worker looks at the rings.
  std::uint32_t next_thread = 1;
  std::uint32_t exited_threads = 0;  ///< Since the worker last looked.
  MappedMap<std::uint32_t, std::uint32_t> os_tid_uses;
  pthread_key_t exit_key{};
  std::uint64_t outside_capture_of_exited = 0;
};

inline constinit std::atomic<Global*> g_global{nullptr};
Global& make_global() noexcept;

/// The object, made if it is not there.
inline Global& global() noexcept {
  Global* shared = g_global.load(std::memory_order_acquire);
  return shared != nullptr ? *shared : make_global();
}

/// Puts a state whose owner is gone and whose ring is drained (or not looked at) on the free list.
/// With registry_mutex held.
void recycle(Global& global, ThreadState& thread) noexcept;

/// For pthread_atfork(): no table is left half changed, no mutex held, in a child. The forking
/// thread takes no signals from prepare to the end of the other two.
void fork_prepare() noexcept;
void fork_parent() noexcept;
/// In the child. Unless `goes_on`, every handler returns at once from then on; touches no lock and
/// no thread, and runs the callback (which closes the trace's descriptor), if one was set. With
/// `goes_on` (no capture had begun) the child is a process of its own that may begin one.
void fork_child(bool goes_on) noexcept;
void set_on_fork_child(void (*callback)()) noexcept;

}  // namespace prof::collectors
