// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/lags.hpp"

#include <algorithm>

#include "libprof/base/statistics.hpp"

namespace prof::whatif {
namespace {

/// A predecessor that is so much later than the others is the one that was waited for.
constexpr std::int64_t kClearNs = 10'000;
/// Fewer say nothing about a class.
constexpr std::size_t kLeastSamples = 8;
/// A launch that is later waits for something else than the GPU's way to it.
constexpr std::int64_t kMostLaunchNs = 10'000;
/// Of a class with more, every n-th counts.
constexpr std::size_t kMostSamples = std::size_t{1} << 16;

/// Used where a run shows none. On an H200 an idle GPU starts a kernel 2 us after its launching
/// call (tools/report/builtin/launch.cpp), and the next of a stream 1.2 us after the last one.
constexpr Lags usual_lags() {
  Lags lags{};
  const auto set = [&](EdgeClass edge, std::int64_t lag) {
    lags[static_cast<std::size_t>(edge)] = lag;
  };
  set(EdgeClass::kLaunch, 2'000);
  set(EdgeClass::kGraphLaunch, 2'000);
  set(EdgeClass::kCopyLaunch, 2'000);
  set(EdgeClass::kStream, 1'200);
  set(EdgeClass::kCopyStream, 1'200);
  set(EdgeClass::kGraphStream, 1'200);
  set(EdgeClass::kEvent, 1'200);
  set(EdgeClass::kReturn, 2'000);
  return lags;
}

constexpr bool has_lag(EdgeClass edge) {
  return edge != EdgeClass::kOrder && edge != EdgeClass::kHandOver;
}

constexpr bool is_launch(EdgeClass edge) {
  return edge >= EdgeClass::kLaunch && edge <= EdgeClass::kBlockingLaunch;
}

}  // namespace

std::vector<bool> nodes_of(const StepGraph& graph, std::span<const std::size_t> steps) {
  std::vector<bool> nodes(graph.size(), false);
  for (const std::size_t i : steps) {
    const StepMark& step = graph.steps[i];
    const NodeId end = step.next != kNoNode ? step.next : step.last + 1;
    for (NodeId node = step.first; node < end; ++node) nodes[node] = true;
  }
  return nodes;
}

Lags calibrate(const StepGraph& graph, const std::vector<bool>& takes) {
  std::array<std::vector<std::int64_t>, kEdgeClasses> samples;
  std::array<std::size_t, kEdgeClasses> seen{};
  for (NodeId node = 0; node < graph.size(); ++node) {
    const std::uint32_t begin = graph.nodes[node].first_edge;
    const std::uint32_t end = graph.nodes[node + 1].first_edge;
    if (begin == end || !takes[node]) continue;
    std::uint32_t latest = begin;
    std::int64_t second_ns = INT64_MIN;
    for (std::uint32_t i = begin + 1; i < end; ++i) {
      const std::int64_t time = graph.observed_ends_ns[graph.from[i]];
      const std::int64_t latest_ns = graph.observed_ends_ns[graph.from[latest]];
      second_ns = std::max(second_ns, std::min(time, latest_ns));
      if (time > latest_ns) latest = i;
    }
    const EdgeClass edge = graph.edge_class[latest];
    if (!has_lag(edge)) continue;
    const std::int64_t ready_ns = graph.observed_ends_ns[graph.from[latest]];
    if (second_ns != INT64_MIN && difference_of_times(ready_ns, second_ns) < kClearNs) continue;
    const auto of = static_cast<std::size_t>(edge);
    if (++seen[of] > kMostSamples && seen[of] % 16 != 0) continue;
    samples[of].push_back(difference_of_times(graph.observed_start_ns(node), ready_ns));
  }
  Lags lags = usual_lags();
  for (std::size_t i = 0; i < kEdgeClasses; ++i) {
    if (samples[i].size() < kLeastSamples) continue;
    const bool launches = is_launch(static_cast<EdgeClass>(i));
    lags[i] = static_cast<std::int64_t>(quantile(samples[i], launches ? 0.25 : 0.5));
    if (launches) lags[i] = std::min(lags[i], kMostLaunchNs);
  }
  return lags;
}

void set_residuals(StepGraph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    Node& node = graph.nodes[id];
    const std::uint32_t begin = node.first_edge, end = graph.nodes[id + 1].first_edge;
    std::int64_t ready_ns = begin == end ? 0 : INT64_MIN;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::int64_t time =
          sum_of_times(graph.observed_ends_ns[graph.from[i]],
                       graph.lags[static_cast<std::size_t>(graph.edge_class[i])]);
      if (time <= ready_ns) continue;
      ready_ns = time;
      node.latest = static_cast<std::uint16_t>(std::min<std::uint32_t>(i - begin, UINT16_MAX));
    }
    node.residual_ns = difference_of_times(graph.observed_start_ns(id), ready_ns);
  }
}

void fit(StepGraph& graph) {
  std::vector<std::size_t> steady;
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    if (graph.steps[i].is_steady) steady.push_back(i);
  }
  graph.lags = calibrate(graph, nodes_of(graph, steady));
  set_residuals(graph);
}

}  // namespace prof::whatif
