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
  if (thread == nullptr) {
    refuse_call_end();
    return nullptr;
  }
  std::uint32_t index = thread->api_depth;
  while (index != 0) {
    const ApiFrame& frame = thread->api_frames[index - 1];
    if (frame.cbid == cbid && frame.domain == domain) break;
    --index;
  }
  if (index == 0) {
    refuse_call_end();
    return nullptr;
  }
  thread->api_depth = index - 1;
  ApiFrame& frame = thread->api_frames[index - 1];
  if (frame.epoch != epoch || !frame.recorded) return &frame;
  ApiEvent event{{},     frame.correlation, frame.stack, frame.start_ns, now_ns(), cbid,
                 status, frame.depth,       domain};
  write_event(*thread, EventKind::kApi, event);
  return &frame;
}

void mark_graph_node_created(ThreadState& thread) noexcept {
  for (std::uint32_t i = 0; i < thread.api_depth; ++i) {
    thread.api_frames[i].graph_node_created = true;
  }
}

}  // namespace prof::collectors
