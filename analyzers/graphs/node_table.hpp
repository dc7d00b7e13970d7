// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NodeTable: nodes of CUDA graphs by CUPTI's id, whose upper half is the graph and whose lower half
// counts the graph's nodes. The meaning of a node may change: each launch has the meaning of its
// time. Owned by GraphNodes, one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/stacks/contexts.hpp"
#include "analyzers/stacks/stack_meaning.hpp"
#include "libprof/model/records.hpp"

namespace prof {

/// The meaning of a stack for work of the nodes made under it. Owns its context.
struct NodeMeaning {
  StackMeaning stack;
  std::shared_ptr<Context> context;
  RangeId made_under = 0;  ///< The innermost range of that stack.
};

/// The work that a kernel node runs, as far as it is known: proves that a record is of this node.
struct NodeWork {
  std::uint32_t type = 0;  ///< CUgraphNodeType.
  StringId function;
  Dim3 grid{0, 0, 0};  ///< 0: any.
};

/// A node from some time on.
struct NodeVersion {
  std::int64_t since_ns = 0;
  std::shared_ptr<const NodeMeaning> meaning;  ///< Null: its stack says nothing.
  NodeWork work;
  /// No record says that the node is where it is thought to be: its work must prove it.
  bool is_assumed = false;
  /// It does what a node does whose making is not in the trace.
  bool is_unknown = false;
};

/// The versions of one node, oldest first; empty: no such node is known.
class GraphNode {
 public:
  [[nodiscard]] bool is_known() const { return !versions_.empty(); }
  [[nodiscard]] const NodeVersion& last() const { return versions_.back(); }
  [[nodiscard]] bool has_changed() const { return has_changed_; }
  /// The version that was launched at that time; the oldest if all are younger.
  [[nodiscard]] const NodeVersion& at(std::int64_t time_ns) const;
  void set(NodeVersion version) {
    versions_.clear();
    versions_.push_back(std::move(version));
  }
  void add(NodeVersion version) {
    versions_.push_back(std::move(version));
    has_changed_ = true;
  }
  /// No record says that the node is where it is now.
  void assume() {
    if (is_known()) versions_.back().is_assumed = true;
  }
  /// Forgets versions that ended before that time.
  void forget_before(std::int64_t time_ns);

 private:
  std::vector<NodeVersion> versions_;
  bool has_changed_ = false;
};

/// The nodes of one graph by their number in it. A damaged file may hold any numbers.
using GraphOfNodes = std::map<std::uint32_t, GraphNode>;

class NodeTable {
 public:
  static std::uint32_t graph_of(std::uint64_t node) {
    return static_cast<std::uint32_t>(node >> 32);
  }
  static std::uint32_t number_of(std::uint64_t node) { return static_cast<std::uint32_t>(node); }

  /// Null: not known.
  GraphNode* find(std::uint64_t node);
  /// The node, made known by what is set or added.
  GraphNode& add(std::uint64_t node);
  /// Takes a graph's nodes out of the table.
  GraphOfNodes take(std::uint32_t graph);
  /// Adds nodes behind those of the graph, as far from each other as they were.
  void append(std::uint32_t graph, GraphOfNodes nodes);

  [[nodiscard]] std::size_t graphs() const { return graphs_.size(); }

 private:
  std::unordered_map<std::uint32_t, GraphOfNodes> graphs_;
  std::uint32_t last_graph_ = 0;  // and its nodes: work of one graph comes together
  GraphOfNodes* last_ = nullptr;
};

}  // namespace prof
