// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/host_periods.hpp"

#include <algorithm>

#include "libprof/model/times.hpp"

namespace prof::whatif {
std::vector<std::int64_t> host_periods(const StepGraph& graph, const Overlay& changes) {
  std::vector<std::int64_t> ends(graph.size(), 0);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (is_gpu_work(node.kind)) continue;
    const std::uint32_t first = node.first_edge, behind = graph.nodes[id + 1].first_edge;
    std::int64_t start = first == behind ? node.residual_ns : INT64_MIN / 2;
    for (std::uint32_t i = first; i < behind; ++i) {
      if (!is_gpu_work(graph.nodes[graph.from[i]].kind)) {
        start = std::max(start, ends[graph.from[i]]);
      }
    }
    ends[id] = sum_of_times(
        start, changes.durations_ns.empty() ? node.duration_ns : changes.durations_ns[id]);
  }
  std::vector<std::int64_t> periods;
  for (const StepMark& step : graph.steps) {
    const NodeId first = graph.launch_of(step.first);
    const NodeId last = graph.launch_of(step.next != kNoNode ? step.next : step.last);
    const bool is_known = first != kNoNode && last != kNoNode;
    periods.push_back(is_known ? difference_of_times(ends[last], ends[first]) : 0);
  }
  return periods;
}

}  // namespace prof::whatif
