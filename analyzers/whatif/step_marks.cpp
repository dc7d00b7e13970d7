// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/step_marks.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "libprof/model/times.hpp"

namespace prof::whatif {
namespace {

using Instant = std::pair<std::uint32_t, std::int64_t>;  // device, time

NodeId find_in(const std::map<Instant, NodeId>& nodes, std::uint32_t device, std::int64_t time_ns) {
  const auto found = nodes.find({device, time_ns});
  return found == nodes.end() ? kNoNode : found->second;
}

}  // namespace

std::vector<StepMark> mark_steps(const RecordedRun& run, const StepGraph& graph) {
  std::map<Instant, NodeId> begins, ends;
  for (const RunStep& step : run.steps) {
    begins.emplace(Instant{step.device, step.begin_ns}, kNoNode);
    begins.emplace(Instant{step.device, step.period_end_ns}, kNoNode);
    ends.emplace(Instant{step.device, step.settled_ns}, kNoNode);
  }
  for (std::size_t i = 0; i < run.works.size(); ++i) {
    const RunWork& work = run.works[i];
    if (const auto begin = begins.find({work.device, work.start_ns}); begin != begins.end()) {
      begin->second = std::min(begin->second, graph.node_of_work[i]);
    }
    if (const auto end = ends.find({work.device, work.end_ns}); end != ends.end()) {
      end->second = graph.node_of_work[i];
    }
  }
  std::vector<StepMark> marks;
  for (const RunStep& step : run.steps) {
    StepMark mark{.number = step.number,
                  .device = step.device,
                  .capture = step.capture,
                  .is_steady = step.is_steady,
                  .first = find_in(begins, step.device, step.begin_ns),
                  .next = find_in(begins, step.device, step.period_end_ns),
                  .last = find_in(ends, step.device, step.settled_ns),
                  .tail_ns = difference_of_times(step.period_end_ns, step.settled_ns)};
    if (mark.next == mark.first) mark.next = kNoNode;
    if (mark.first != kNoNode && (mark.next != kNoNode || mark.last != kNoNode)) {
      marks.push_back(mark);
    }
  }
  return marks;
}

}  // namespace prof::whatif
