// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/graphs/replay_tracker.hpp"

#include "analyzers/graphs/body_launches.hpp"

namespace prof {

void ReplayTracker::advance(const GpuRow& row) {
  // Without a launch of its own, that of where it stands (launched_work.hpp).
  if (row.launched || is_body_work(row)) nodes_.advance(row.launch_start_ns);
}

const StackMeaning* ReplayTracker::enter(const GpuRow& row, const StackMeaning& launch) {
  const Correlation replay = row.graph_node != 0 ? row.launch : 0;
  const bool is_anywhere = row.graph_node != 0 && !row.launched;  // in no replay that is known
  if (replay != replay_ && !is_anywhere) {
    replay_ = replay;
    ids_.begin_replay();
  }
  if (row.graph_node == 0) return nullptr;
  const NodeMeaning* const node = nodes_.find(row);
  if (node == nullptr) return nullptr;
  meaning_ = node->stack;
  made_under_ = node->made_under;
  meaning_.step = launch.step;
  meaning_.owner_end_ns = INT64_MAX;  // that of the capture is past
  if (!row.launched) return &meaning_;
  for (std::uint64_t* const id : meaning_.op_ids()) {
    if (*id != 0) *id = ids_.of(*id);
  }
  return &meaning_;
}

}  // namespace prof
