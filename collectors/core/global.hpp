// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// State shared by the whole process: whether a capture is on, the list of threads, the program's
// NVTX objects, the loss counters. One heap object, created on first use and never freed: handlers
// may be called at any time, even after the last flush at exit. Two atomics live outside it, so
// that a handler needs only one relaxed load to see whether it has anything to do.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "collectors/core/loss_counters.hpp"
#include "collectors/core/mapped_memory.hpp"
#include "collectors/core/program_objects.hpp"
#include "collectors/core/signal_safe_mutex.hpp"
#include "collectors/core/thread_state.hpp"
#include "libprof/model/range_ids.hpp"

namespace prof::collectors {

/// 0: not recording. kDead: a forked child, nothing may be touched. Otherwise the session's number,
/// with kStandbyBit if it records only the data that later captures need: changes to CUDA graphs,
/// and the ranges around them.
inline constinit std::atomic<std::uint32_t> g_epoch{0};
inline constexpr std::uint32_t kDeadEpoch = 0xffffffffU;
inline constexpr std::uint32_t kStandbyBit = 0x80000000U;

[[nodiscard]] inline bool is_dead(std::uint32_t epoch) noexcept { return epoch == kDeadEpoch; }
[[nodiscard]] inline bool is_standby(std::uint32_t epoch) noexcept {
  return (epoch & kStandbyBit) != 0 && !is_dead(epoch);
}
/// The session for events of CUDA graphs.
[[nodiscard]] inline std::uint32_t session_epoch() noexcept {
  return g_epoch.load(std::memory_order_relaxed);
}
/// The session for all other events: 0 in a standby.
[[nodiscard]] inline std::uint32_t recording_epoch() noexcept {
  const std::uint32_t epoch = session_epoch();
  return is_standby(epoch) ? 0 : epoch;
}

struct Global {
  Global();
  ~Global();
  Global(const Global&) = delete;
  Global& operator=(const Global&) = delete;

  LossCounters losses;
  ProgramObjects objects;

  std::atomic<ThreadState*> threads{nullptr};  ///< All states ever created, newest first.
  /// Size limit of new threads' rings; a power of two.
  std::atomic<std::uint32_t> ring_bytes{2U << 20};
  std::atomic<std::uint64_t> next_range_block{kFirstRange};
  std::atomic<std::uint32_t> process_range_changes{0};  ///< Starts and ends of start/end ranges.

  /// Wakes the worker; cheap if it was already woken.
  void wake() noexcept {
    if (!wake_pending.exchange(true, std::memory_order_acq_rel)) sem_post(&wake_semaphore);
  }
  sem_t wake_semaphore;
  std::atomic<bool> wake_pending{false};

  std::uint32_t last_epoch = 0;  ///< Under registry_mutex, like the next one.
  /// A standby whose events wait in the rings for the session that comes next; 0: none.
  std::uint32_t waiting_epoch = 0;

  // The registry of threads, under registry_mutex.
  SignalSafeMutex registry_mutex;
  ThreadState* free_threads = nullptr;
  bool consumer_active = false;  ///< A worker is reading the rings.
  std::uint32_t next_thread = 1;
  std::uint32_t exited_threads = 0;  ///< Since the worker's last pass.
  MappedMap<std::uint32_t, std::uint32_t> os_tid_uses;
  pthread_key_t exit_key{};
  std::uint64_t outside_capture_of_exited = 0;
};

inline constinit std::atomic<Global*> g_global{nullptr};
Global& make_global() noexcept;

/// The process's object, created on first use.
inline Global& global() noexcept {
  Global* shared = g_global.load(std::memory_order_acquire);
  return shared != nullptr ? *shared : make_global();
}

/// Puts a state whose owner is gone and whose ring is drained (or has no reader) on the free list.
/// The caller holds registry_mutex.
void recycle(Global& global, ThreadState& thread) noexcept;
/// Whether the thread's ring has events for the next session. The caller holds registry_mutex.
[[nodiscard]] inline bool has_waiting_events(const Global& global,
                                             const ThreadState& thread) noexcept {
  return global.waiting_epoch != 0 && thread.ring.used() != 0;
}

/// For pthread_atfork(): a child finds no table half changed and no mutex held. Signals are blocked
/// on the forking thread from fork_prepare() until the end of the other two.
void fork_prepare() noexcept;
void fork_parent() noexcept;
/// Called in the child. Unless `goes_on`, every handler returns at once from then on; takes no lock
/// and uses no thread. With `goes_on` (no capture had started) the child is an independent process
/// that may start one.
void fork_child(bool goes_on) noexcept;

}  // namespace prof::collectors
