// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The registry of threads: making states, noticing exits, reusing memory.
#include "collectors/core/thread_state.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "collectors/core/global.hpp"

namespace prof::collectors {

__thread ThreadState* t_thread_state __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

__thread bool t_internal __attribute__((tls_model("initial-exec"))) = false;

constexpr std::size_t kMaxDepth = 4096;
constexpr std::size_t kArenaBytes = std::size_t{1} << 20;
/// Rings that a thread used more of than this give their pages back when the thread is gone.
constexpr std::uint64_t kKeptRingBytes = 64 * 1024;
/// So many exits wake the worker, so that their memory can be used again soon.
constexpr std::uint32_t kExitsPerWake = 16;

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + 4095) & ~std::size_t{4095}; }

ThreadState* map_state(std::uint32_t ring_bytes) noexcept {
  const std::size_t state_bytes = round_up(sizeof(ThreadState));
  const std::size_t entries_bytes = round_up(kMaxDepth * sizeof(OpenRange));
  const std::size_t tops_bytes =
      round_up(ProgramObjects::kMaxDomainId * sizeof(RangeStack::DomainTop));
  const std::size_t bytes = state_bytes + entries_bytes + tops_bytes + kArenaBytes + ring_bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* base = static_cast<std::byte*>(memory);
  auto* state = new (base) ThreadState;
  state->mapping_bytes = bytes;
  std::byte* part = base + state_bytes;
  auto* entries = reinterpret_cast<OpenRange*>(part);
  auto* tops = reinterpret_cast<RangeStack::DomainTop*>(part += entries_bytes);
  auto* arena = reinterpret_cast<char*>(part += tops_bytes);
  state->stack.attach(entries, kMaxDepth, tops, ProgramObjects::kMaxDomainId, arena, kArenaBytes);
  state->ring.attach(part + kArenaBytes, ring_bytes);
  return state;
}

/// A state from the free list whose ring has the wanted size; nullptr: none.
ThreadState* take_free(Global& global, std::uint32_t ring_bytes) noexcept {
  for (ThreadState** link = &global.free_threads; *link != nullptr; link = &(*link)->next_free) {
    if ((*link)->ring.capacity() != ring_bytes) continue;
    ThreadState* state = *link;
    *link = state->next_free;
    state->next_free = nullptr;
    return state;
  }
  return nullptr;
}

}  // namespace

void on_thread_exit(void* value) noexcept {
  auto* thread = static_cast<ThreadState*>(value);
  if (is_dead(recording_epoch())) return;
  t_thread_state =
      nullptr;  // A later destructor of this thread that makes a call gets a new state.
  Global& shared = global();
  thread->program_name = shared.objects.take_thread_name(thread->os_tid);
  const std::lock_guard lock(shared.registry_mutex);
  thread->life.store(ThreadState::Life::kExited, std::memory_order_release);
  if (!shared.consumer_active) {
    recycle(shared, *thread);
  } else if (++shared.exited_threads % kExitsPerWake == 0) {
    shared.wake();
  }
}

ThreadState* make_thread_state() noexcept {
  if (t_internal || is_dead(recording_epoch())) return nullptr;
  Global& shared = global();
  const std::uint32_t ring_bytes = shared.ring_bytes.load(std::memory_order_relaxed);
  const std::lock_guard lock(shared.registry_mutex);
  ThreadState* thread = take_free(shared, ring_bytes);
  const bool is_new = thread == nullptr;
  if (is_new) thread = map_state(ring_bytes);
  if (thread == nullptr) return nullptr;
  thread->id = ThreadId{shared.next_thread++};
  thread->os_tid = static_cast<std::uint32_t>(gettid());
  thread->generation = shared.os_tid_uses[thread->os_tid]++;
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
  if (thread.ring.written() > kKeptRingBytes) {
    madvise(thread.ring.memory(), thread.ring.capacity(), MADV_DONTNEED);
  }
  thread.ring.reset();
  thread.stack.clear();
  std::string().swap(thread.program_name);
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
