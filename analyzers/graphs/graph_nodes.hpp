// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphNodes: what the work of CUDA graphs' nodes means, from the stacks that the nodes were made
// under (docs/decisions/0007-cuda-graphs.md). Follows what happened to graphs in the order of
// time, and keeps what it means by node, because at a replay the ranges of the capture are long
// past. Memory: the nodes of graphs that are alive, or were until shortly before. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

#include "analyzers/graphs/node_table.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class GraphNodes {
 public:
  /// Reads from `reader`; asks `stacks` for the meaning of the stacks that nodes are made under.
  GraphNodes(TraceReader& reader, StackWalker& stacks);

  /// The trace has graphs.
  [[nodiscard]] bool any() const { return ahead_ != nullptr || nodes_.graphs() > 0; }

  /// Learns what happened to graphs up to that time.
  void advance(std::int64_t time_ns) {
    if (ahead_ != nullptr && ahead_->time_ns <= time_ns) learn_until(time_ns);
  }

  /// The meaning of the row's work. Null: its node is not known, or its stack says nothing. Advance
  /// to the launch before; work without one is known only where its node has never changed.
  const NodeMeaning* find(const GpuRow& row);

  /// Rows whose node has no making in the trace, or does not prove to be theirs.
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }

  /// Call when the contexts of `stacks` have become invalid.
  void forget_contexts() { pinned_.clear(); }

  [[nodiscard]] Status status() const { return events_->status(); }

 private:
  using Meaning = std::shared_ptr<const NodeMeaning>;
  static constexpr std::size_t kMinSweep = 4096;

  void learn_until(std::int64_t time_ns);
  void learn(const GraphEventRow& event);
  void make(const GraphEventRow& event);
  void update(const GraphEventRow& event);
  /// The version of a node from the event on: that of the other node or, with parameters that a
  /// call states, one with the meaning of the stack around the call. `node`: the node until then;
  /// may be null.
  NodeVersion like(const GraphEventRow& event);
  NodeVersion with_parameters(const GraphEventRow& event, const GraphNode* node);
  /// A graph that ends while its thread makes an executable has moved into that one.
  void end(const GraphEventRow& event);
  /// The meaning of the stack of ranges around a call; null: nothing.
  Meaning meaning_of(std::int64_t time_ns, RangeId stack);
  /// A context like that one, but of a replay, which outlives it.
  std::shared_ptr<Context> pin(const Context& context);
  /// The row's work is what the node runs.
  bool proves(const GpuRow& row, const NodeWork& work);

  TraceReader& reader_;
  StackWalker& stacks_;
  std::unique_ptr<RowCursor<const GraphEventRow>> events_;
  const GraphEventRow* ahead_ = nullptr;

  NodeTable nodes_;
  std::map<std::uint32_t, std::uint32_t> making_;  // the executables being made, by thread
  struct Ended {
    std::int64_t time_ns;
    std::uint32_t graph;
  };
  std::deque<Ended> ended_;  // to be forgotten a little later

  RangeId last_stack_ = 0;
  Meaning last_meaning_;
  std::unordered_map<const Context*, std::weak_ptr<Context>> pinned_;
  std::uint32_t pins_ = 0;
  std::size_t sweep_at_ = kMinSweep;  // the size of pinned_ at which what expired is dropped
  std::uint64_t unknown_ = 0;
};

}  // namespace prof
