// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a CUPTI callback says about the CUDA call it is in: api_enter() at its start, api_exit() at
// its end, graph_node_created() in between. Allocates nothing, takes no lock. Threads: each for the
// calling thread. A call that a signal handler makes while another of these, or of NVTX's, is
// suspended below it is refused and counted.
#pragma once

#include "collectors/core/global.hpp"
#include "collectors/core/thread_state.hpp"

namespace prof::collectors {

/// The innermost calls go, counted: their ends were never seen, or they nest deeper than can be.
void drop_stale_api_frames(ThreadState& thread) noexcept;

/// Opens a frame and stamps it. nullptr: not recording. A call inside a recorded call is recorded
/// only if `record_nested`. The frame is valid until the call's api_exit().
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
  if (thread == nullptr) return nullptr;
  if (thread->epoch != epoch && !enter_epoch(global(), *thread, epoch)) return nullptr;
  if (thread->api_depth == ThreadState::kMaxApiDepth) drop_stale_api_frames(*thread);
  std::uint32_t depth = 0;
  if (thread->api_depth != 0) {
    const ApiFrame& outer = thread->api_frames[thread->api_depth - 1];
    depth = outer.depth + (outer.recorded ? 1U : 0U);
  }
  ApiFrame& frame = thread->api_frames[thread->api_depth++];
  frame.correlation = correlation;
  frame.stack = thread->stack.top_stack_id();
  frame.cbid = cbid;
  frame.epoch = epoch;
  frame.depth = depth;
  frame.domain = domain;
  frame.recorded = depth == 0 || record_nested;
  frame.graph_node_created = false;
  frame.start_ns = now_ns();
  return &frame;
}

/// Closes the frame of this call and writes its ApiEvent. Frames above it, whose end never came,
/// are dropped. Returns the frame, valid until the thread's next api_enter(); nullptr: it has none.
ApiFrame* api_exit(ApiRecord::Domain domain, std::uint32_t cbid, std::int32_t status) noexcept;

/// A graph node came into being, in whatever call the thread is inside of. `original_node` is the
/// node it was cloned from, or 0.
void graph_node_created(std::uint64_t graph_node, std::uint32_t graph, std::uint64_t original_node,
                        std::uint32_t node_type) noexcept;

}  // namespace prof::collectors
