// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The capture's state for one thread of the program: its ring of events, its open ranges, the CUDA
// calls it is in. It begins with 32 KB of address space and grows for a thread that does more. It
// is never released, but reused by a later thread once its owner is gone and its ring is drained.
// Created on a thread's first event. Threads: only the owner accesses it, except where noted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collectors/core/event_ring.hpp"
#include "collectors/core/mapped_memory.hpp"
#include "collectors/core/range_stack.hpp"
#include "collectors/core/reentry.hpp"
#include "collectors/core/window_triggers.hpp"

namespace prof::collectors {

struct Global;
class ThreadView;

/// A CUDA call that a thread is in.
struct ApiFrame {
  std::int64_t start_ns = 0;
  Correlation correlation = 0;
  RangeId stack = 0;
  std::uint32_t cbid = 0;
  std::uint32_t epoch = 0;
  std::uint32_t depth = 0;  ///< Number of enclosing recorded calls.
  ApiRecord::Domain domain = ApiRecord::Domain::kRuntime;
  bool recorded = false;            ///< An ApiEvent is written at its end.
  bool graph_node_created = false;  ///< The call created a graph node, so it launches no GPU work.
};

struct ThreadState {
  enum class Life : std::uint32_t { kAlive, kExited, kFree };
  static constexpr std::uint32_t kMaxApiDepth = 32;

  ThreadId id;
  std::uint32_t os_tid = 0;
  std::uint32_t generation = 0;
  char name[16] = {};  ///< The thread's system name when its state was created.
  /// The name that the program gave it; set when it ends, for the worker.
  MappedString program_name;

  /// The session of the thread's events in the ring; 0: none yet.
  std::uint32_t epoch = 0;
  RangeId next_range = 0, last_range = 0;  ///< The ids it may still assign: [next, last).
  /// The value in Global when the thread's last op was written.
  std::uint32_t process_range_changes = 0;
  EventRing ring;
  RangeStack stack;
  RefusedRanges refused;
  WatchedRanges watched;
  std::array<ApiFrame, kMaxApiDepth> api_frames;
  std::uint32_t api_depth = 0;
  /// The thread's last call that put work on a stream; 0: the work was captured into a CUDA graph
  /// instead.
  Correlation last_work = 0;
  std::uint32_t last_work_epoch = 0;
  /// Ranges opened and closed, and marks, made while not recording. Read by the worker.
  std::atomic<std::uint64_t> outside_capture{0};

  std::atomic<Life> life{Life::kAlive};    ///< Accessed by any thread.
  ThreadState* next = nullptr;             ///< Next in the list of all states; never changes.
  ThreadState* next_free = nullptr;        ///< Under the registry's mutex.
  ThreadView* view = nullptr;              ///< Used by the worker only.
  std::uint64_t outside_capture_seen = 0;  ///< Used by the worker only.
};

// A plain pointer, so that no destructor is registered and loading the collector costs nothing.
extern __thread ThreadState* t_thread_state __attribute__((tls_model("initial-exec")));
ThreadState* make_thread_state() noexcept;
void on_thread_exit(void* thread) noexcept;  ///< The destructor of Global::exit_key.

/// The calling thread's state, created if it has none. nullptr in a forked child, when out of
/// memory, and on the capture's own threads.
inline ThreadState* current_thread() noexcept {
  ThreadState* thread = t_thread_state;
  return thread != nullptr ? thread : make_thread_state();
}

/// Marks the calling thread as the capture's own: current_thread() is nullptr on it from now on.
void mark_internal_thread() noexcept;
[[nodiscard]] bool is_internal_thread() noexcept;

/// Makes `thread` part of session `epoch`: writes that to the ring, and the open ranges, in a
/// standby only where write_stack() is called. Called by the helpers of range_events.hpp and
/// api_calls.hpp when thread.epoch differs. False: the ring has no room for it, so no event may be
/// written.
bool enter_epoch(Global& global, ThreadState& thread, std::uint32_t epoch) noexcept;

/// Writes aliases for ranges that out-of-order pops have moved. Deferred until an event occurs on
/// their stack, since most pops are followed by others.
void record_moved(ThreadState& thread) noexcept;
/// The stack of the thread's open ranges, for an event for which no room is reserved yet. The
/// thread is part of the session.
inline RangeId recorded_stack(ThreadState& thread) noexcept {
  if (thread.stack.first_moved() != thread.stack.depth()) [[unlikely]]
    record_moved(thread);
  return thread.stack.top_stack_id();
}

}  // namespace prof::collectors
