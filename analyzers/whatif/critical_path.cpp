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

constexpr std::string_view kWords[] = {"kernel", "transfer", "copy", "turnaround", "stream",
                                       "launch", "call",     "host", "wait",       "unexplained"};
static_assert(std::size(kWords) == static_cast<std::size_t>(PathKind::kUnexplained) + 1);

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

/// By the times of a replay of the graph as it is.
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
  void back_to(std::int64_t time_ns, PathKind kind, NodeId node, bool is_lag,
               bool is_tail = false) {
    const std::int64_t to = std::max(time_ns, begin_ns_);
    if (to >= now_ns_) return;
    visit_({kind, node, is_lag, is_tail, to, now_ns_});
    now_ns_ = to;
  }

 private:
  const std::int64_t begin_ns_;
  std::int64_t now_ns_;
  const std::function<void(const PathPiece&)>& visit_;
};

}  // namespace

std::string_view name(PathKind kind) { return kWords[static_cast<std::size_t>(kind)]; }

void walk_path(const StepGraph& graph, const Times& times, const StepMark& step,
               const std::function<void(const PathPiece&)>& visit) {
  const std::int64_t begin = start_ns(graph, {}, times, step.first);
  NodeId node = step.next != kNoNode ? step.next : step.last;
  const std::int64_t start = start_ns(graph, {}, times, node);
  Walk walk(begin, step.next != kNoNode ? start : sum_of_times(times.ends_ns[node], step.tail_ns),
            visit);
  if (step.next == kNoNode) {
    walk.back_to(times.ends_ns[node], PathKind::kUnexplained, node, true, true);
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

double unexplained_part(const StepGraph& graph, const Times& times, std::uint32_t device) {
  double all = 0, unexplained = 0;
  for (const StepMark& step : graph.steps) {
    if (!step.is_steady || step.device != device) continue;
    walk_path(graph, times, step, [&](const PathPiece& piece) {
      const auto ns = static_cast<double>(difference_of_times(piece.end_ns, piece.begin_ns));
      all += ns;
      if (piece.kind == PathKind::kUnexplained) unexplained += ns;
    });
  }
  return all > 0 ? unexplained / all : 0;
}

}  // namespace prof::whatif
