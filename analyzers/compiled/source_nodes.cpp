// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/source_nodes.hpp"

#include <nlohmann/json.hpp>

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

/// {"nodes":[{"name":NAME, ...}, ...]}; of equal names the first counts.
template <typename Node, typename Read>
NodeTable<Node> read_table(std::string_view json, Read read) {
  NodeTable<Node> made;
  if (!json_excess(json).empty()) return made;
  const TableJson root = TableJson::parse(json, nullptr, false);
  if (!root.is_object()) return made;
  const auto nodes = root.find("nodes");
  if (nodes == root.end() || !nodes->is_array()) return made;
  for (const TableJson& node : *nodes) {
    if (!node.is_object()) continue;
    std::string name = text_at(node, "name");
    if (!name.empty()) made.emplace(std::move(name), read(node));
  }
  return made;
}

}  // namespace

NodeTable<SourceNode> read_source_nodes(std::string_view json) {
  return read_table<SourceNode>(json, [](const TableJson& node) {
    return SourceNode{text_at(node, "path"), text_at(node, "target"), text_at(node, "where")};
  });
}

NodeTable<GraphNode> read_graph_nodes(std::string_view json) {
  return read_table<GraphNode>(json, [](const TableJson& node) {
    const auto recompute = node.find("recompute");
    return GraphNode{text_at(node, "source"), text_at(node, "dir") == "bprop",
                     recompute != node.end() && recompute->is_boolean() && recompute->get<bool>()};
  });
}

}  // namespace prof::compiled
