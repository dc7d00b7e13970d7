// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/critical_path.hpp"

#include <algorithm>
#include <iterator>

namespace prof::whatif {
namespace {

/// A wait beyond the lag of its class is unexplained if it is longer: shorter ones are how lags
/// vary.
constexpr std::int64_t kVariationNs = 10'000;

constexpr PathKindText kTexts[] = {
    {"kernel", "a kernel runs"},
    {"transfer", "a kernel runs that moves data between GPUs, waits for other ranks included"},
    {"copy", "a copy or a set runs"},
    {"turnaround", "the next work was queued: the GPU's time between two of a stream"},
    {"stream", "the next work waits for another stream, estimated"},
    {"launch", "a call that launches, and from there to the start of its work"},
    {"call", "another CUDA call, without what it waits for"},
    {"host", "the host on its way to the call: Python, the framework, anything else"},
    {"wait", "a call returns after the work that it waited for, or finds room in the queue"},
    {"unexplained", "work waits for something that the trace does not show"},
};
static_assert(std::size(kTexts) == static_cast<std::size_t>(PathKind::kUnexplained) + 1);

PathKind kind_of(NodeKind node) {
  switch (node) {
    case NodeKind::kWay:
      return PathKind::kHost;
    case NodeKind::kCall:
      return PathKind::kCall;
    case NodeKind::kLaunch:
      return PathKind::kLaunch;
    case NodeKind::kWait:
      return PathKind::kWait;
    case NodeKind::kTransfer:
      return PathKind::kTransfer;
    case NodeKind::kCopy:
      return PathKind::kCopy;
    case NodeKind::kKernel:
      break;
  }
  return PathKind::kKernel;
}

PathKind kind_of(EdgeClass edge) {
  if (edge == EdgeClass::kEvent) return PathKind::kStream;
  if (is_between_works(edge)) return PathKind::kTurnaround;
  const bool is_wait =
      edge == EdgeClass::kReturn || edge == EdgeClass::kCopyReturn || edge == EdgeClass::kQueue;
  if (is_wait) return PathKind::kWait;
  return edge == EdgeClass::kOrder || edge == EdgeClass::kHandOver ? PathKind::kHost
                                                                   : PathKind::kLaunch;
}

struct LatestEdge {
  NodeId from = kNoNode;
  EdgeClass edge = EdgeClass::kOrder;
  std::int64_t lag_ns = 0;
};

/// By the times of the replay, which may be that of a changed graph.
LatestEdge latest_edge(const StepGraph& graph, const Times& times, NodeId node) {
  LatestEdge latest;
  std::int64_t latest_ns = INT64_MIN;
  const std::uint32_t begin = graph.nodes[node].first_edge;
  for (std::uint32_t i = begin; i < graph.nodes[node + 1].first_edge; ++i) {
    const std::int64_t lag = graph.lags[static_cast<std::size_t>(graph.edge_class[i])];
    std::int64_t ready = sum_of_times(times.ends_ns[graph.from[i]], lag);
    add_time(ready, residual_of_edge(graph.nodes[node], i - begin));
    if (ready <= latest_ns) continue;
    latest_ns = ready;
    latest = {graph.from[i], graph.edge_class[i], lag};
  }
  return latest;
}

class Walk {
 public:
  Walk(std::int64_t begin_ns, std::int64_t end_ns,
       const std::function<void(const PathPiece&)>& visit)
      : begin_ns_(begin_ns), now_ns_(end_ns), visit_(visit) {}

  [[nodiscard]] bool is_at_begin() const { return now_ns_ <= begin_ns_; }
  /// What lies before, back to that time. Nothing if the path is there already.
  void back_to(std::int64_t time_ns, PathKind kind, NodeId node, bool is_lag) {
    const std::int64_t to = std::max(time_ns, begin_ns_);
    if (to >= now_ns_) return;
    visit_({kind, node, is_lag, to, now_ns_});
    now_ns_ = to;
  }

 private:
  const std::int64_t begin_ns_;
  std::int64_t now_ns_;
  const std::function<void(const PathPiece&)>& visit_;
};

}  // namespace

const PathKindText& text_of(PathKind kind) { return kTexts[static_cast<std::size_t>(kind)]; }
std::span<const PathKindText> path_kind_texts() { return kTexts; }

void walk_path(const StepGraph& graph, const Times& times, const StepMark& step,
               const std::function<void(const PathPiece&)>& visit) {
  const std::int64_t begin = start_ns(graph, {}, times, step.first);
  NodeId node = step.next != kNoNode ? step.next : step.last;
  const std::int64_t start = start_ns(graph, {}, times, node);
  Walk walk(begin, step.next != kNoNode ? start : sum_of_times(times.ends_ns[node], step.tail_ns),
            visit);
  if (step.next == kNoNode) {
    walk.back_to(times.ends_ns[node], PathKind::kUnexplained, node, true);
    walk.back_to(start, kind_of(graph.nodes[node].kind), node, false);
  }
  while (!walk.is_at_begin()) {
    const LatestEdge latest = latest_edge(graph, times, node);
    if (latest.from == kNoNode) return walk.back_to(begin, PathKind::kUnexplained, node, true);
    const std::int64_t ready = times.ends_ns[latest.from];
    const std::int64_t lagged = sum_of_times(ready, latest.lag_ns);
    const std::int64_t residual = difference_of_times(start_ns(graph, {}, times, node), lagged);
    if (residual > kVariationNs) walk.back_to(lagged, PathKind::kUnexplained, node, true);
    walk.back_to(ready, kind_of(latest.edge), node, true);
    node = latest.from;
    walk.back_to(start_ns(graph, {}, times, node), kind_of(graph.nodes[node].kind), node, false);
  }
}

}  // namespace prof::whatif
