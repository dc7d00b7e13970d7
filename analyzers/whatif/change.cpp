// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/change.hpp"

#include <algorithm>
#include <cmath>

#include "libprof/base/statistics.hpp"

namespace prof::whatif {
namespace {

/// A longer way to a call is a pause: the host does something else than launch (as kQuietNs of
/// timeline/idle_causes.hpp).
constexpr std::int64_t kPauseNs = 200'000;

class Applying {
 public:
  explicit Applying(const StepGraph& graph) : graph_(graph) {
    overlay_.durations_ns.reserve(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      overlay_.durations_ns.push_back(graph.nodes[i].duration_ns);
    }
    overlay_.uses.assign(graph.size(), NodeUse::kUsual);
  }

  void operator()(const Take& change) {
    for (std::size_t i = 0; i < change.works.size(); ++i) set(work(change.works[i]), change.ns[i]);
  }
  void operator()(const Scale& change) {
    for (const std::uint32_t place : change.works) {
      const NodeId node = work(place);
      if (node == kNoNode) continue;
      set(node, std::llround(change.factor * static_cast<double>(overlay_.durations_ns[node])));
    }
  }
  void operator()(const Drop& change) {
    for (const std::uint32_t place : change.works) {
      const NodeId node = work(place);
      if (node == kNoNode) continue;
      set(node, 0);
      overlay_.uses[node] = NodeUse::kIsGone;
      const NodeId call = graph_.launch_of(node);
      if (call != kNoNode && launches_nothing(call)) remove_call(call);
    }
  }
  void operator()(const NoLaunch& change);
  void operator()(const NoWait& change) {
    for (const std::uint32_t place : change.calls) {
      // Behind the call and what it launches.
      NodeId node = call(place);
      while (node != kNoNode && node < graph_.size() && graph_.nodes[node].kind != NodeKind::kWay) {
        if (graph_.nodes[node].kind == NodeKind::kWait) {
          overlay_.uses[node] = NodeUse::kWaitsForHost;
          break;
        }
        ++node;
      }
    }
  }
  void operator()(const NoIdle& change) {
    const std::int64_t usual = usual_way_ns();
    for (const std::uint32_t place : change.calls) {
      const NodeId way = way_to(call(place));
      if (way != kNoNode) set(way, std::min(usual, overlay_.durations_ns[way]));
    }
  }
  void operator()(const Add& change) {
    for (const std::uint32_t place : change.after) {
      const NodeId node = work(place);
      if (node != kNoNode) set(node, sum_of_times(overlay_.durations_ns[node], change.ns));
    }
  }

  Overlay finish() { return std::move(overlay_); }

 private:
  [[nodiscard]] NodeId work(std::uint32_t place) const {
    return place < graph_.node_of_work.size() ? graph_.node_of_work[place] : kNoNode;
  }
  [[nodiscard]] NodeId call(std::uint32_t place) const {
    return place < graph_.node_of_call.size() ? graph_.node_of_call[place] : kNoNode;
  }
  void set(NodeId node, std::int64_t ns) {
    if (node != kNoNode) overlay_.durations_ns[node] = std::max<std::int64_t>(0, ns);
  }
  [[nodiscard]] NodeId way_to(NodeId call) const {
    const bool has_way = call != kNoNode && call > 0 &&
                         graph_.nodes[call - 1].kind == NodeKind::kWay &&
                         graph_.nodes[call - 1].place == graph_.nodes[call].place;
    return has_way ? call - 1 : kNoNode;
  }
  [[nodiscard]] bool launches_nothing(NodeId call) const {
    // Works follow their call.
    for (NodeId i = call + 1; i < graph_.size() && graph_.launch_of(i) == call; ++i) {
      if (overlay_.uses[i] != NodeUse::kIsGone) return false;
    }
    return true;
  }
  void remove_call(NodeId call) {
    set(call, 0);
    const NodeId way = way_to(call);
    if (way != kNoNode && overlay_.durations_ns[way] < kPauseNs) set(way, 0);
  }
  [[nodiscard]] std::int64_t usual_way_ns() const {
    std::vector<std::int64_t> ways;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (graph_.nodes[i].kind == NodeKind::kWay) ways.push_back(graph_.nodes[i].duration_ns);
    }
    return ways.empty() ? 0 : static_cast<std::int64_t>(median(ways));
  }

  const StepGraph& graph_;
  Overlay overlay_;
};

/// By GPU, the first nodes of steps, in the order of the graph.
std::vector<NodeId> step_begins(const StepGraph& graph) {
  std::vector<NodeId> begins;
  for (const StepMark& step : graph.steps) {
    begins.push_back(step.first);
    if (step.next != kNoNode) begins.push_back(step.next);
  }
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  return begins;
}

void Applying::operator()(const NoLaunch& change) {
  const std::vector<NodeId> begins = step_begins(graph_);
  std::vector<NodeId> calls;
  for (const std::uint32_t place : change.works) {
    const NodeId node = work(place);
    const NodeId call = node == kNoNode ? kNoNode : graph_.launch_of(node);
    if (call != kNoNode) calls.push_back(call);
  }
  std::ranges::sort(calls);
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  std::optional<std::ptrdiff_t> last;
  for (const NodeId call : calls) {
    // A step begins with its first work, whose call is one node before it.
    const std::ptrdiff_t step = std::ranges::upper_bound(begins, call + 1) - begins.begin();
    if (last == step) remove_call(call);
    last = step;
  }
}

}  // namespace

Overlay apply(const StepGraph& graph, std::span<const Change> changes) {
  Applying applying(graph);
  for (const Change& change : changes) std::visit(applying, change);
  return applying.finish();
}

std::vector<std::int64_t> touched_ns(const StepGraph& graph, const Overlay& changed) {
  std::vector<std::int64_t> touched(graph.steps.size(), 0);
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    const StepMark& step = graph.steps[i];
    const NodeId end = step.next != kNoNode ? step.next : static_cast<NodeId>(graph.size());
    for (NodeId node = step.first; node < end; ++node) {
      const Node& of = graph.nodes[node];
      const std::int64_t left = changed.durations_ns[node];
      const std::int64_t less = difference_of_times(of.duration_ns, left);
      if (less <= 0) continue;
      add_time(touched[i], less);
      // What is gone is not waited for, either.
      if (left > 0 || of.first_edge == graph.nodes[node + 1].first_edge) continue;
      const EdgeClass edge = graph.edge_class[of.first_edge + of.latest];
      const std::int64_t lag = graph.lags[static_cast<std::size_t>(edge)];
      add_time(touched[i], std::max<std::int64_t>(0, sum_of_times(lag, of.residual_ns)));
    }
  }
  return touched;
}

}  // namespace prof::whatif
