// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/replay.hpp"

#include <algorithm>

#include "libprof/model/times.hpp"

namespace prof::whatif {
namespace {

/// Before everything, and far enough from the smallest number to add to.
constexpr std::int64_t kBeforeAll = INT64_MIN / 2;

std::int64_t gone_end(const StepGraph& graph, NodeId node, const std::vector<std::int64_t>& ends) {
  std::int64_t end = kBeforeAll, launched = kBeforeAll;
  for (std::uint32_t i = graph.nodes[node].first_edge; i < graph.nodes[node + 1].first_edge; ++i) {
    std::int64_t& of = is_between_works(graph.edge_class[i]) ? end : launched;
    of = std::max(of, ends[graph.from[i]]);
  }
  return end != kBeforeAll ? end : launched;
}

}  // namespace

void replay(const StepGraph& graph, const Overlay& changes, const ReplayOptions& options,
            Times& times) {
  const std::size_t size = graph.size();
  times.ends_ns.resize(size);
  std::vector<std::int64_t>& ends = times.ends_ns;
  const Lags& lags = options.lags != nullptr ? *options.lags : graph.lags;
  const bool own = options.residuals == Residuals::kOwn;
  auto begin = graph.stream_begins.begin();
  for (NodeId id = 0; id < size; ++id) {
    const Node& node = graph.nodes[id];
    const std::int64_t duration =
        changes.durations_ns.empty() ? node.duration_ns : changes.durations_ns[id];
    const NodeUse use = changes.uses.empty() ? NodeUse::kUsual : changes.uses[id];
    const bool is_begin = begin != graph.stream_begins.end() && *begin == id;
    if (is_begin) ++begin;
    const std::uint32_t first = node.first_edge, behind = graph.nodes[id + 1].first_edge;
    if (use == NodeUse::kIsGone && first != behind) {
      ends[id] = gone_end(graph, id, ends);
      continue;
    }
    // What a stream's first work waited for beyond its launch is the queue before it.
    const bool keeps = own || (options.keep != nullptr && (*options.keep)[id]);
    const bool has_residual = keeps && !(is_begin && options.from_empty_queue);
    const std::uint32_t last = use == NodeUse::kWaitsForHost ? first + 1 : behind;
    std::int64_t start = first == behind ? node.residual_ns : kBeforeAll;
    for (std::uint32_t i = first; i < last; ++i) {
      std::int64_t lag = lags[static_cast<std::size_t>(graph.edge_class[i])];
      if (has_residual) lag = sum_of_times(lag, residual_of_edge(node, i - first));
      if (use == NodeUse::kNoLag) lag = std::min<std::int64_t>(lag, 0);
      const std::int64_t ready = sum_of_times(ends[graph.from[i]], lag);
      start = std::max(start, ready);
    }
    ends[id] = sum_of_times(start, duration);
  }
  times.periods_ns.resize(graph.steps.size());
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    const StepMark& step = graph.steps[i];
    const std::int64_t end = step.next != kNoNode ? start_ns(graph, changes, times, step.next)
                                                  : sum_of_times(ends[step.last], step.tail_ns);
    times.periods_ns[i] = difference_of_times(end, start_ns(graph, changes, times, step.first));
  }
}

Times replay(const StepGraph& graph, const Overlay& changes, const ReplayOptions& options) {
  Times times;
  replay(graph, changes, options, times);
  return times;
}

}  // namespace prof::whatif
