// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Records what a CUPTI callback reports about its CUDA call: api_enter() at its start, api_exit()
// at its end, mark_graph_node_created() in between. Allocates nothing, takes no lock. Each function
// acts on the calling thread. A call from a signal handler that interrupted one of these, or an
// NVTX handler, is refused and counted.
#pragma once

#include "collectors/core/global.hpp"
#include "collectors/core/thread_state.hpp"

namespace prof::collectors {

/// Drops and counts the innermost calls: their ends were never seen, or they nest impossibly deep.
void drop_stale_api_frames(ThreadState& thread) noexcept;

/// Opens a frame with a timestamp. nullptr: not recording. A call inside a recorded call is
/// recorded only if `record_nested`. The frame is valid until the call's api_exit().
inline ApiFrame* api_enter(Correlation correlation, ApiRecord::Domain domain, std::uint32_t cbid,
                           bool record_nested) noexcept {
  const std::uint32_t epoch = recording_epoch();
  if (epoch == 0 || is_dead(epoch)) return nullptr;
  const InsideCall inside;
  if (!inside.entered()) {
    refuse_call_begin(record_nested);
    return nullptr;
  }
  ThreadState* thread = current_thread();
  if (thread == nullptr) {
    if (!is_internal_thread()) refuse_call_begin(record_nested, Loss::kNoThreadMemory);
    return nullptr;
  }
  if (thread->epoch != epoch && !enter_epoch(global(), *thread, epoch)) return nullptr;
  // Calls that the end of an earlier capture cut: their ends may never be seen.
  while (thread->api_depth != 0 && thread->api_frames[thread->api_depth - 1].epoch != epoch)
    --thread->api_depth;
  if (thread->api_depth == ThreadState::kMaxApiDepth) drop_stale_api_frames(*thread);
  std::uint32_t depth = 0;
  if (thread->api_depth != 0) {
    const ApiFrame& outer = thread->api_frames[thread->api_depth - 1];
    depth = outer.depth + (outer.recorded ? 1U : 0U);
  }
  ApiFrame& frame = thread->api_frames[thread->api_depth++];
  frame.correlation = correlation;
  frame.stack = recorded_stack(*thread);
  frame.cbid = cbid;
  frame.epoch = epoch;
  frame.depth = depth;
  frame.domain = domain;
  frame.recorded = depth == 0 || record_nested;
  frame.graph_node_created = false;
  // Reading the clock would be most of the cost of a nested call that is not recorded.
  frame.start_ns = frame.recorded ? now_ns() : 0;
  return &frame;
}

/// Closes the frame of this call and writes its ApiEvent. Frames above it, which never ended, are
/// dropped. Returns the frame, valid until the thread's next api_enter(); nullptr: there is none.
ApiFrame* api_exit(ApiRecord::Domain domain, std::uint32_t cbid, std::int32_t status) noexcept;

/// The calls that the thread is in have created a graph node, so they launch no GPU work.
void mark_graph_node_created(ThreadState& thread) noexcept;

}  // namespace prof::collectors
