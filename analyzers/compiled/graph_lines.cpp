// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/graph_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace prof::compiled {
namespace {

constexpr std::string_view kFile = "# File: ";

/// "model.py:42" of "/home/u/model.py:42 in forward, code: .."; empty: no line.
std::string_view line_in(std::string_view text) {
  std::size_t end = std::min(text.find(", code:"), text.size());
  if (const std::size_t in = text.substr(0, end).rfind(" in "); in != text.npos) end = in;
  text = text.substr(0, end);
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon + 1 == text.size() ||
      text.find_first_not_of("0123456789", colon + 1) != text.npos) {
    return {};
  }
  return text.substr(text.rfind('/') + 1);
}

/// "mul" of "mul: "f32[4]" = ..."; empty: no node.
std::string_view node_in(std::string_view line) {
  const std::size_t colon = line.find_first_of(":= (");
  if (colon == line.npos || line.find(" = ") == line.npos) return {};
  return line[colon] == ':' || line.substr(colon).starts_with(" = ") ? line.substr(0, colon)
                                                                     : std::string_view();
}

/// The module that contains both: "a.b" of "a.b.c" and "a.b.d".
std::string common_module(const std::string& a, const std::string& b) {
  const auto [at, other] = std::ranges::mismatch(a, b);
  auto length = static_cast<std::size_t>(at - a.begin());
  const bool ends_both = (at == a.end() || *at == '.') && (other == b.end() || *other == '.');
  if (!ends_both) {
    const std::size_t dot = length == 0 ? a.npos : a.rfind('.', length - 1);
    length = dot == a.npos ? 0 : dot;
  }
  return a.substr(0, length);
}

/// The line that the graph's text has.
const std::string& line_of(const SourceNode& node) {
  return node.line.empty() ? node.where : node.line;
}

/// Calls of one line, after each other.
SourceNode joined(const std::vector<SourceNode>& sources, std::size_t begin, std::size_t end) {
  SourceNode made = sources[begin];
  made.name = line_of(made) + "#" + std::to_string(begin);  // no name of a node
  for (std::size_t i = begin + 1; i < end; ++i) {
    made.path = common_module(made.path, sources[i].path);
    if (made.target != sources[i].target) made.target.clear();
  }
  return made;
}

/// Of ascending numbers, not none; of two equally near ones the lower.
std::size_t nearest(const std::vector<std::size_t>& numbers, std::size_t to) {
  const auto above = std::ranges::lower_bound(numbers, to);
  if (above == numbers.begin()) return *above;
  const std::size_t below = *(above - 1);
  return above != numbers.end() && *above - to < to - below ? *above : below;
}

}  // namespace

std::vector<NodeLine> read_node_lines(std::string_view graph) {
  std::vector<NodeLine> lines;
  std::string_view where;
  while (!graph.empty()) {
    const std::size_t end = std::min(graph.find('\n'), graph.size());
    std::string_view line = graph.substr(0, end);
    graph.remove_prefix(std::min(end + 1, graph.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with('#')) {
      where = line.starts_with(kFile) ? line_in(line.substr(kFile.size())) : std::string_view();
    } else if (const std::string_view name = node_in(line); !name.empty()) {
      lines.push_back({name, where});
    }
  }
  return lines;
}

std::vector<GraphNode> place_by_lines(const std::vector<NodeLine>& lines,
                                      std::vector<SourceNode>& sources) {
  std::vector<SourceNode> runs;                        // of lines, in Dynamo's order
  std::map<std::string, std::vector<std::size_t>> of;  // by line: its runs
  for (std::size_t begin = 0, end = 0; begin < sources.size(); begin = end) {
    const std::string& where = line_of(sources[begin]);
    while (end < sources.size() && line_of(sources[end]) == where) ++end;
    if (where.empty()) continue;
    of[where].push_back(runs.size());
    runs.push_back(joined(sources, begin, end));
  }
  for (auto& [where, all] : of) {
    const std::string& path = runs[all.front()].path;
    const auto same = [&](std::size_t run) { return runs[run].path == path; };
    const bool is_sure = std::ranges::all_of(all, same);
    for (const std::size_t run : all) runs[run].is_guess = !is_sure;
  }
  std::vector<GraphNode> nodes;
  std::size_t last = runs.size();
  for (const NodeLine& line : lines) {
    GraphNode& node = nodes.emplace_back();
    node.name = line.name;
    node.is_backward = true;
    const auto found = of.find(std::string(line.where));
    if (found == of.end()) continue;
    last = nearest(found->second, last);
    node.source = runs[last].name;
  }
  sources.insert(sources.end(), runs.begin(), runs.end());
  return nodes;
}

}  // namespace prof::compiled
