// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AutogradLinks: finds the range of a backward node's forward op by the numbers in their texts
// (docs/decisions/0006-pytorch.md). Numbers are per thread; if ranges of several
// threads match, the thread that created the node's graph decides. Memory is bounded. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzers/links/forward_index.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/ranges/range_texts.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class AutogradLinks {
 public:
  AutogradLinks(TraceReader& reader, RangeTexts& texts);

  /// Reads the ranges opened up to that time; call before looking up work launched at that time.
  void advance(std::int64_t time_ns) { forwards_.advance(time_ns); }

  /// The node that the engine evaluates in that range; 0: unknown.
  [[nodiscard]] RangeId node_in(RangeId evaluation) const {
    return forwards_.active() ? forwards_.node_in(evaluation) : 0;
  }

  /// The range of the node's forward op. Counts each node once.
  ForwardIndex::Found forward_of(const RangeRow& node, const dialects::GraphTies& ties);
  /// Skips the search for the node's forward op and counts it as missed.
  void give_up(const RangeRow& node) { count(node.id, {}); }

  [[nodiscard]] const LinkCounts& counts() const { return counts_; }

 private:
  using GraphTies = dialects::GraphTies;
  using Found = ForwardIndex::Found;

  Found find(const RangeRow& node, const GraphTies& ties);
  /// By the node's sequence number, on the thread that created its graph.
  Found find_by_number(const RangeRow& node, const GraphTies& ties, std::uint64_t seq);
  /// The thread that created the node's graph, found through the producer of its input: its forward
  /// op ran on that thread too.
  std::optional<std::uint32_t> graph_thread(const RangeRow& node, const GraphTies& ties);
  /// The thread of a node's forward op.
  std::optional<std::uint32_t> forward_thread(const RangeRow& node);
  [[nodiscard]] bool is_inside_node(const RangeRow& range);
  void count(RangeId node, const Found& found);

  TraceReader& reader_;
  RangeTexts& texts_;
  ForwardIndex forwards_;
  LinkCounts counts_;
  std::vector<RangeId> counted_;  // nodes, indexed by the low bits of their ids
  struct NodeThread {
    RangeId node = 0;
    std::uint32_t thread = 0;  // of its forward op
  };
  std::vector<NodeThread> threads_;  // likewise
  int depth_ = 0;                    // of nested thread look-ups
};

}  // namespace prof
