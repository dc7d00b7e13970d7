// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The registry of threads: creates states, notices exits, reuses memory.
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
/// A ring of which a thread used more than this returns its pages when the thread is gone.
constexpr std::uint64_t kKeptRingBytes = 64 * 1024;
/// This many exits wake the worker, so that their memory can be reused soon.
constexpr std::uint32_t kExitsPerWake = 16;

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + 4095) & ~std::size_t{4095}; }

ThreadState* map_state(std::uint32_t ring_bytes) noexcept {
  const std::size_t state_bytes = round_up(sizeof(ThreadState));
  const std::size_t entries_bytes = round_up(kMaxDepth * sizeof(OpenRange));
  const std::size_t tops_bytes =
      round_up(ProgramObjects::kMaxDomainId * sizeof(RangeStack::DomainTop));
  const std::size_t refused_bytes =
      round_up(ProgramObjects::kMaxDomainId * sizeof(std::atomic<std::int32_t>));
  const std::size_t bytes =
      state_bytes + entries_bytes + tops_bytes + refused_bytes + kArenaBytes + ring_bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* base = static_cast<std::byte*>(memory);
  auto* state = new (base) ThreadState;
  state->mapping_bytes = bytes;
  std::byte* part = base + state_bytes;
  auto* entries = reinterpret_cast<OpenRange*>(part);
  auto* tops = reinterpret_cast<RangeStack::DomainTop*>(part += entries_bytes);
  auto* refused = reinterpret_cast<std::atomic<std::int32_t>*>(part += tops_bytes);
  auto* arena = reinterpret_cast<char*>(part += refused_bytes);
  state->stack.attach(entries, kMaxDepth, tops, ProgramObjects::kMaxDomainId, arena, kArenaBytes);
  state->refused.attach(refused, ProgramObjects::kMaxDomainId);
  state->ring.attach(part + kArenaBytes, ring_bytes);
  return state;
}

/// A state from the free list with a ring of the requested size; nullptr: none.
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

/// How many threads had this number before. 0 if there is no memory to track it.
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
  const std::uint32_t ring_bytes = shared.ring_bytes.load(std::memory_order_relaxed);
  const std::lock_guard lock(shared.registry_mutex);
  ThreadState* thread = take_free(shared, ring_bytes);
  const bool is_new = thread == nullptr;
  if (is_new) thread = map_state(ring_bytes);
  if (thread == nullptr) return nullptr;
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
  if (thread.ring.written() > kKeptRingBytes) {
    madvise(thread.ring.memory(), thread.ring.capacity(), MADV_DONTNEED);
  }
  thread.ring.reset();
  thread.stack.clear();
  thread.refused.clear();
  thread.watched = {};
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
