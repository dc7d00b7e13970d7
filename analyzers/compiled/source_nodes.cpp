// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/source_nodes.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "libprof/source/json_bounds.hpp"

namespace prof::compiled {
namespace {

using TableJson = nlohmann::json;

/// Empty if there is none.
std::string text_at(const TableJson& node, std::string_view key) {
  const auto found = node.find(key);
  const auto* text = found == node.end() ? nullptr : found->get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

/// {"nodes":[{"name":NAME, ...}, ...]}
template <typename Node, typename Read>
std::optional<std::vector<Node>> read_table(std::string_view json, Read read) {
  if (!json_excess(json).empty()) return std::nullopt;
  const TableJson root = TableJson::parse(json, nullptr, false);
  if (!root.is_object()) return std::nullopt;
  const auto nodes = root.find("nodes");
  if (nodes == root.end() || !nodes->is_array()) return std::nullopt;
  std::vector<Node> made;
  for (const TableJson& node : *nodes) {
    if (node.is_object() && !text_at(node, "name").empty()) made.push_back(read(node));
  }
  return made;
}

}  // namespace

std::optional<std::vector<SourceNode>> read_source_nodes(std::string_view json) {
  return read_table<SourceNode>(json, [](const TableJson& node) {
    return SourceNode{text_at(node, "name"),  text_at(node, "path"), text_at(node, "target"),
                      text_at(node, "where"), text_at(node, "line"), text_at(node, "optimizer")};
  });
}

std::optional<std::vector<GraphNode>> read_graph_nodes(std::string_view json) {
  return read_table<GraphNode>(json, [](const TableJson& node) {
    GraphNode made;
    made.name = text_at(node, "name");
    made.source = text_at(node, "source");
    if (const auto nth = node.find("nth"); nth != node.end() && nth->is_number_unsigned()) {
      made.nth = nth->get<std::size_t>();
    }
    made.is_backward = text_at(node, "dir") == "bprop";
    const auto recompute = node.find("recompute");
    made.is_recomputed =
        recompute != node.end() && recompute->is_boolean() && recompute->get<bool>();
    return made;
  });
}

SourceNodes::SourceNodes(const std::vector<SourceNode>& sources,
                         const std::vector<GraphNode>& nodes, bool is_backward)
    : is_backward_(is_backward) {
  std::map<std::string_view, std::vector<const SourceNode*>> named;
  for (const SourceNode& source : sources) named[source.name].push_back(&source);
  for (const GraphNode& node : nodes) {
    const auto found = named.find(node.source);
    const SourceNode* const source =
        found != named.end() && node.nth < found->second.size() ? found->second[node.nth] : nullptr;
    by_node_[node.name].push_back(steps_.size());
    if (source != nullptr && !node.is_backward) by_source_[source->name].push_back(steps_.size());
    is_backward_node_.push_back(node.is_backward);
    steps_.push_back({source, node.is_recomputed, source != nullptr && node.is_guess});
  }
  // Nodes that the graph does not have, or whose table is missing, follow in Dynamo's order.
  for (const auto& [name, all] : named) {
    if (by_source_.contains(name)) continue;
    for (const SourceNode* const source : all) {
      by_source_[name].push_back(steps_.size() + static_cast<std::size_t>(source - sources.data()));
    }
  }
  for (const SourceNode& source : sources) {
    // Nodes that are computed again for a backward pass run in another order.
    const bool is_guess = is_backward && named[source.name].size() > 1;
    steps_.push_back({&source, is_backward, is_guess});
  }
}

const std::vector<std::size_t>* SourceNodes::positions_of(const NamedNode& node) const {
  const auto of_graph = by_node_.find(node.name);
  const auto of_program = by_source_.find(node.name);
  if (of_graph == by_node_.end()) {
    return of_program == by_source_.end() ? nullptr : &of_program->second;
  }
  if (of_program == by_source_.end()) return &of_graph->second;
  const bool is_of_graph =
      node.is_of_graph.value_or(is_backward_ && is_backward_node_[of_graph->second.front()]);
  return is_of_graph ? &of_graph->second : &of_program->second;
}

void SourceNodes::order(std::vector<std::string_view>& names) const {
  std::ranges::stable_sort(names, {}, [this](std::string_view name) {
    const std::vector<std::size_t>* const positions = positions_of({name});
    return positions == nullptr ? SIZE_MAX : positions->front();
  });
}

const SourceNode* SourceNodes::first_of(std::string_view name) const {
  const std::vector<std::size_t>* const positions = positions_of({name});
  return positions == nullptr ? nullptr : steps_[positions->front()].source;
}

std::vector<Origin> SourceNodes::find(const std::vector<NamedNode>& list) {
  std::vector<Origin> found(list.size());
  std::optional<std::size_t> next;  // position of the node that follows in the list
  for (std::size_t i = list.size(); i-- > 0;) {
    found[i].name = list[i].name;
    const std::vector<std::size_t>* const positions = positions_of(list[i]);
    if (positions == nullptr) continue;
    std::size_t at = positions->front();
    if (next) {  // the last one before it
      const auto after = std::ranges::upper_bound(*positions, *next);
      if (after != positions->begin()) at = *(after - 1);
    } else {  // the first one from the last call on
      const auto from = std::ranges::lower_bound(*positions, last_);
      at = from != positions->end() ? *from : positions->back();
      // The compiler may run what it has one name for before all that it does not depend on.
      if (positions->size() > 1) last_ = at;
    }
    next = at;
    found[i].is_known = true;
    found[i].source = steps_[at].source;
    found[i].is_recomputed = steps_[at].is_recomputed;
    found[i].is_guess = steps_[at].is_guess;
  }
  return found;
}

}  // namespace prof::compiled
