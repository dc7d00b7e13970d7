// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the tables of nodes that prof_torch keeps (docs/graphs.md): what Dynamo's nodes are, and
// which of them the nodes of a graph that Inductor compiles come from; and finds in them the names
// that generated code states. Entries that are not as expected are left out. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::compiled {

/// A call in the program's own code.
struct SourceNode {
  std::string name;
  std::string path;  ///< Path of its module, as named_modules() names it; empty: the compiled one.
  std::string target;  ///< "linear"
  std::string where;   ///< "model.py:42"
  std::string line;  ///< "linear.py:134": where torch runs it, as its own texts say; may be empty.
  std::string optimizer;  ///< "adamw", of work in torch.optim; else empty.
};

/// A node of the graph that is compiled.
struct GraphNode {
  std::string name;
  std::string source;   ///< Name of the source node; empty: none.
  std::size_t nth = 0;  ///< Index among several source nodes of that name.
  bool is_backward = false;
  bool is_recomputed = false;
  bool is_guess = false;  ///< Its source node is guessed among several in its line.
};

/// In the order in which they run. Nullopt: no such table.
std::optional<std::vector<SourceNode>> read_source_nodes(std::string_view json);
std::optional<std::vector<GraphNode>> read_graph_nodes(std::string_view json);

/// Where a node that generated code names comes from.
struct Origin {
  std::string_view name;               ///< As the code has it.
  const SourceNode* source = nullptr;  ///< Null: not known, or none: a sum of gradients.
  bool is_known = false;               ///< A table has the name.
  bool is_recomputed = false;
  bool is_guess = false;  ///< The source node is guessed among several.
};

/// A name in a list of source nodes, and whether it is one of the compiled graph's own; absent: not
/// known.
struct NamedNode {
  std::string_view name;
  std::optional<bool> is_of_graph = std::nullopt;
};

/// Finds names in lists of source nodes. In code of a backward pass such a name is that of a node
/// of the compiled graph or, of what is computed again, of a node of Dynamo's. A name of Dynamo's
/// may occur several times: the lists are in the order of their nodes, and so are the calls of the
/// code.
class SourceNodes {
 public:
  /// Both must outlive it. Without graph nodes only Dynamo's names are known.
  SourceNodes(const std::vector<SourceNode>& sources, const std::vector<GraphNode>& nodes,
              bool is_backward);

  /// Orders names as their nodes run; those that are not known stand last.
  void order(std::vector<std::string_view>& names) const;

  /// The source node that the first node of that name comes from; null: not known.
  [[nodiscard]] const SourceNode* first_of(std::string_view name) const;

  /// The origins of the list of the next call, in order.
  std::vector<Origin> find(const std::vector<NamedNode>& list);

 private:
  /// Positions in `steps_`, ascending.
  using Positions = std::map<std::string_view, std::vector<std::size_t>>;
  struct Step {
    const SourceNode* source = nullptr;
    bool is_recomputed = false;
    bool is_guess = false;
  };

  [[nodiscard]] const std::vector<std::size_t>* positions_of(const NamedNode& node) const;

  bool is_backward_;
  std::vector<Step> steps_;  // of the compiled graph; without it, of Dynamo's
  Positions by_source_;
  Positions by_node_;
  std::vector<bool> is_backward_node_;
  std::size_t last_ = 0;  // position of the last node of the last call
};

}  // namespace prof::compiled
