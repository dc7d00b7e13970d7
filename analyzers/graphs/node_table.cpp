// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/graphs/node_table.hpp"

#include <algorithm>
#include <utility>

namespace prof {

const NodeVersion& GraphNode::at(std::int64_t time_ns) const {
  for (std::size_t i = versions_.size(); i-- > 1;) {
    if (versions_[i].since_ns <= time_ns) return versions_[i];
  }
  return versions_.front();
}

void GraphNode::forget_before(std::int64_t time_ns) {
  const auto is_current = [&](const NodeVersion& version) { return version.since_ns > time_ns; };
  const auto first_later = std::find_if(versions_.begin(), versions_.end(), is_current);
  if (first_later - versions_.begin() > 1) versions_.erase(versions_.begin(), first_later - 1);
}

GraphNode* NodeTable::find(std::uint64_t node) {
  const std::uint32_t graph = graph_of(node);
  if (last_ == nullptr || last_graph_ != graph) {
    const auto found = graphs_.find(graph);
    if (found == graphs_.end()) return nullptr;
    last_ = &found->second;
    last_graph_ = graph;
  }
  const auto found = last_->find(number_of(node));
  return found != last_->end() && found->second.is_known() ? &found->second : nullptr;
}

GraphNode& NodeTable::add(std::uint64_t node) { return graphs_[graph_of(node)][number_of(node)]; }

GraphOfNodes NodeTable::take(std::uint32_t graph) {
  if (last_graph_ == graph) last_ = nullptr;
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return {};
  GraphOfNodes nodes = std::move(found->second);
  graphs_.erase(found);
  return nodes;
}

void NodeTable::append(std::uint32_t graph, GraphOfNodes nodes) {
  GraphOfNodes& all = graphs_[graph];
  const std::uint32_t first = all.empty() ? 0 : all.rbegin()->first + 1;
  while (!nodes.empty()) {
    auto node = nodes.extract(nodes.begin());
    node.key() += first;
    all.insert(std::move(node));
  }
}

}  // namespace prof
