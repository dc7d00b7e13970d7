// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/api_calls.hpp"

#include "collectors/core/write_event.hpp"

namespace prof::collectors {
void drop_stale_api_frames(ThreadState& thread) noexcept {
  std::uint64_t dropped = 0;
  while (thread.api_depth > ThreadState::kMaxApiDepth / 2) {
    if (thread.api_frames[--thread.api_depth].recorded) ++dropped;
  }
  global().losses.add(Loss::kStackTooDeep, dropped);
}

ApiFrame* api_exit(ApiRecord::Domain domain, std::uint32_t cbid, std::int32_t status) noexcept {
  const std::uint32_t epoch = recording_epoch();
  const InsideCall inside;
  if (is_dead(epoch)) return nullptr;
  if (!inside.entered()) {
    refuse_call_end();
    return nullptr;
  }
  ThreadState* thread = t_thread_state;
  if (thread == nullptr) return nullptr;
  std::uint32_t index = thread->api_depth;
  while (index != 0) {
    const ApiFrame& frame = thread->api_frames[index - 1];
    if (frame.cbid == cbid && frame.domain == domain) break;
    --index;
  }
  if (index == 0) return nullptr;
  thread->api_depth = index - 1;
  ApiFrame& frame = thread->api_frames[index - 1];
  if (frame.epoch != epoch || !frame.recorded) return &frame;
  ApiEvent event{{},     frame.correlation, frame.stack, frame.start_ns, now_ns(), cbid,
                 status, frame.depth,       domain};
  write_event(*thread, EventKind::kApi, event);
  return &frame;
}

void graph_node_created(std::uint64_t graph_node, std::uint32_t graph, std::uint64_t original_node,
                        std::uint32_t node_type) noexcept {
  const std::uint32_t epoch = recording_epoch();
  if (epoch == 0 || is_dead(epoch)) return;
  const InsideCall inside;
  if (!inside.entered()) return refuse_event();
  ThreadState* thread = current_thread();
  if (thread == nullptr) return;
  if (thread->epoch != epoch && !enter_epoch(global(), *thread, epoch)) return;
  for (std::uint32_t i = 0; i < thread->api_depth; ++i) {
    thread->api_frames[i].graph_node_created = true;
  }
  GraphNodeEvent event{{},       graph_node, original_node, thread->stack.top_stack_id(),
                       now_ns(), graph,      node_type};
  write_event(*thread, EventKind::kGraphNode, event);
}

}  // namespace prof::collectors
