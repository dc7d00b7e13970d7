// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/graphs/graph_sizes.hpp"

#include "analyzers/graphs/node_table.hpp"

namespace prof {

GraphSizes::GraphSizes(TraceReader& reader) {
  const auto events = reader.graph_events();
  while (const GraphEventRow* event = events->next()) learn(*event);
  status_ = events->status();
}

void GraphSizes::learn(const GraphEventRow& event) {
  using Kind = GraphEventRow::Kind;
  switch (event.kind) {
    case Kind::kExecBegin:
      execs_.insert(event.graph);
      making_[event.thread.value] = event.graph;
      return;
    case Kind::kNode:
      ++nodes_[NodeTable::graph_of(event.node)];
      return;
    case Kind::kEnd:
      return end(event);
    case Kind::kUpdate:
      return;
    case Kind::kExecEnd:
      making_.erase(event.thread.value);
      return;
  }
}

void GraphSizes::end(const GraphEventRow& event) {
  if (execs_.contains(event.graph)) return;  // its launches are still to come
  const auto ended = nodes_.find(event.graph);
  if (ended == nodes_.end()) return;
  const std::uint32_t count = ended->second;
  nodes_.erase(ended);
  const auto making = making_.find(event.thread.value);
  if (making != making_.end()) nodes_[making->second] += count;
}

std::optional<std::uint32_t> GraphSizes::of(std::uint32_t exec) const {
  const auto found = nodes_.find(exec);
  if (found == nodes_.end() || !execs_.contains(exec)) return std::nullopt;
  return found->second;
}

}  // namespace prof
