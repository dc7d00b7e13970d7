// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/printed_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "libprof/base/ascii.hpp"

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

/// Each word of "a, [b, 2], dtype = torch.int64".
template <typename Visit>
void visit_words(std::string_view text, Visit visit) {
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_word);
    at = std::find_if_not(begin, text.end(), is_word);
    if (begin != at) visit(std::string_view(begin, at));
  }
}

/// Names of "def forward(self, a: "f32[4]", b):", without "self".
void read_inputs(std::string_view line, std::set<std::string_view>& to) {
  bool is_quoted = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find('"', at), line.size());
    if (!is_quoted) {
      visit_words(line.substr(at, end - at), [&](std::string_view word) { to.insert(word); });
    }
    is_quoted = !is_quoted;
    at = end + 1;
  }
}

class GraphReader {
 public:
  PrintedGraph read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      read_line(line);
    }
    return std::move(graph_);
  }

 private:
  void read_line(std::string_view line) {
    constexpr std::string_view kHead = "def forward(self";
    if (line.starts_with('#')) {
      where_ = line.starts_with(kFile) ? line_in(line.substr(kFile.size())) : std::string_view();
    } else if (line.starts_with(kHead)) {
      read_inputs(line.substr(kHead.size()), graph_.inputs);
      known_ = graph_.inputs;
    } else if (const std::string_view name = node_in(line); !name.empty()) {
      read_node(name, line.substr(line.find(" = ") + 3));
    }
  }

  /// "torch.ops.aten.mul.Tensor(a, b);  a = None", "attention[0]"
  void read_node(std::string_view name, std::string_view text) {
    text = text.substr(0, text.find(';'));
    PrintedNode& node = graph_.nodes.emplace_back(PrintedNode{name, where_, {}, {}});
    if (const std::size_t bracket = text.find('('); bracket != text.npos) {
      constexpr std::string_view kOps = "torch.ops.";
      node.target = text.substr(0, bracket);
      if (node.target.starts_with(kOps)) node.target.remove_prefix(kOps.size());
      text.remove_prefix(bracket);
    }
    visit_words(text, [&](std::string_view word) {
      const auto known = known_.find(word);
      if (known != known_.end()) node.operands.push_back(*known);
    });
    known_.insert(name);
  }

  PrintedGraph graph_;
  std::set<std::string_view> known_;  // names of inputs and of nodes so far
  std::string_view where_;
};

}  // namespace

bool is_of_pass(const PrintedNode& node) {
  std::string target(node.target.substr(node.target.find('.') + 1));
  std::ranges::replace(target, '.', '_');
  return target.find('_') != target.npos && node.name.starts_with(target);
}

PrintedGraph read_printed_graph(std::string_view text) { return GraphReader().read(text); }

}  // namespace prof::compiled
