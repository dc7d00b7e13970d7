// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The registry of threads: creates states, notices exits, reuses memory.
#include "collectors/core/thread_state.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <new>

#include "collectors/core/global.hpp"

namespace prof::collectors {

__thread ThreadState* t_thread_state __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

__thread bool t_internal __attribute__((tls_model("initial-exec"))) = false;

/// Initial and maximum sizes of a thread's memory.
constexpr std::uint32_t kFirstDepth = 32, kMaxDepth = 4096;
constexpr std::uint32_t kFirstDomains = 16, kMaxDomains = ProgramObjects::kMaxDomainId;
constexpr std::uint32_t kFirstWatched = 8, kMaxWatched = 1024;
constexpr std::uint32_t kFirstArenaBytes = 4 << 10, kMaxArenaBytes = 1 << 20;
constexpr std::uint32_t kFirstRingBytes = 16 << 10;

struct FirstMemory {
  ThreadState state;
  std::array<OpenRange, kFirstDepth> entries;
  std::array<RangeStack::DomainTop, kFirstDomains> tops;
  std::array<WatchedRanges::Entry, kFirstWatched> watched;
  std::array<char, kFirstArenaBytes> arena;
  alignas(64) std::array<std::byte, kFirstRingBytes> ring;
};
/// Blocks of MappedMemory are 16-byte aligned.
constexpr std::size_t kBlockBytes = sizeof(FirstMemory) + alignof(FirstMemory) - 16;
static_assert(kBlockBytes <= 32 << 10, "MappedMemory's blocks are powers of two");

/// Number of exits that wake the worker, so that their memory can be reused soon.
constexpr std::uint32_t kExitsPerWake = 16;

/// nullptr: out of memory.
ThreadState* new_state() noexcept {
  try {
    void* block = mapped_memory().allocate(kBlockBytes);
    std::size_t bytes = kBlockBytes;
    block = std::align(alignof(FirstMemory), sizeof(FirstMemory), block, bytes);
    // Pages are touched only as they are used.
    auto* const memory = new (block) FirstMemory;
    ThreadState& state = memory->state;
    state.stack.entries().attach(memory->entries.data(), kFirstDepth, kMaxDepth);
    state.stack.tops().attach(memory->tops.data(), kFirstDomains, kMaxDomains);
    state.stack.arena().attach(memory->arena.data(), kFirstArenaBytes, kMaxArenaBytes);
    state.watched.entries().attach(memory->watched.data(), kFirstWatched, kMaxWatched);
    state.ring.attach(memory->ring.data(), kFirstRingBytes);
    return &state;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// A state from the free list; nullptr: none.
ThreadState* take_free(Global& global) noexcept {
  ThreadState* const state = global.free_threads;
  if (state == nullptr) return nullptr;
  global.free_threads = state->next_free;
  state->next_free = nullptr;
  return state;
}

/// Number of threads that had this number before. 0 if there is no memory to track it.
std::uint32_t count_use(Global& global, std::uint32_t os_tid) noexcept {
  try {
    return global.os_tid_uses[os_tid]++;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

}  // namespace

void on_thread_exit(void* value) noexcept {
  auto* thread = static_cast<ThreadState*>(value);
  if (is_dead(recording_epoch())) return;
  if (WindowTriggers* const triggers = window_triggers()) {
    while (const WindowTriggers::Token token = thread->watched.take()) triggers->thread_ends(token);
  }
  const SignalsBlocked quiet;
  // A later destructor or handler on this thread that makes a call gets a new state.
  t_thread_state = nullptr;
  Global& shared = global();
  thread->program_name = shared.objects.take_thread_name(thread->os_tid);
  const std::lock_guard lock(shared.registry_mutex);
  thread->life.store(ThreadState::Life::kExited, std::memory_order_release);
  if (!shared.consumer_active && !has_waiting_events(shared, *thread)) {
    recycle(shared, *thread);
  } else if (++shared.exited_threads % kExitsPerWake == 0) {
    shared.wake();
  }
}

ThreadState* make_thread_state() noexcept {
  if (t_internal || is_dead(recording_epoch())) return nullptr;
  Global& shared = global();
  const std::lock_guard lock(shared.registry_mutex);
  ThreadState* thread = take_free(shared);
  const bool is_new = thread == nullptr;
  if (is_new) thread = new_state();
  if (thread == nullptr) return nullptr;
  thread->ring.set_limit(shared.ring_bytes.load(std::memory_order_relaxed));
  thread->id = ThreadId{shared.next_thread++};
  thread->os_tid = static_cast<std::uint32_t>(gettid());
  thread->generation = count_use(shared, thread->os_tid);
  thread->name[0] = '\0';
  pthread_getname_np(pthread_self(), thread->name, sizeof thread->name);
  if (is_new) {
    thread->next = shared.threads.load(std::memory_order_relaxed);
    shared.threads.store(thread, std::memory_order_release);
  }
  thread->life.store(ThreadState::Life::kAlive, std::memory_order_release);
  t_thread_state = thread;
  pthread_setspecific(shared.exit_key, thread);
  return thread;
}

void recycle(Global& global, ThreadState& thread) noexcept {
  global.outside_capture_of_exited +=
      thread.outside_capture.load(std::memory_order_relaxed) - thread.outside_capture_seen;
  thread.outside_capture.store(0, std::memory_order_relaxed);
  thread.outside_capture_seen = 0;
  thread.ring.reset();
  thread.stack.clear();
  thread.refused.clear();
  thread.watched.clear();
  MappedString().swap(thread.program_name);
  thread.epoch = 0;
  thread.next_range = thread.last_range = 0;
  thread.api_depth = 0;
  thread.life.store(ThreadState::Life::kFree, std::memory_order_release);
  thread.next_free = global.free_threads;
  global.free_threads = &thread;
}

void mark_internal_thread() noexcept { t_internal = true; }

bool is_internal_thread() noexcept { return t_internal; }

}  // namespace prof::collectors
