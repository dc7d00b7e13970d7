// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the "Graph fragment" that Inductor writes above a kernel's definition: the nodes that the
// kernel computes, with their types and sizes (since torch 2.9), what it reads (PlaceHolder) and
// what it writes (return). A line that is not understood is left out. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/compiled/symbolic_sizes.hpp"
#include "libprof/model/tensor.hpp"

namespace prof::compiled {

/// "f32[4, 128][128, 1]cuda:0". Nullopt: no such text, or a size of unknown symbols.
struct TensorType {
  DType dtype = DType::kUnknown;
  Shape shape;
};
std::optional<TensorType> read_tensor_type(std::string_view text, const Symbols& symbols = {});

struct FragmentNode {
  std::string_view name;    ///< Without the '%'.
  std::string_view target;  ///< "aten.mul.Tensor"; empty: it is read, not computed.
  std::string_view args;    ///< "%embedding, 2"
  std::optional<TensorType> type;
  bool is_typed = false;  ///< The text has its type, be it understood or not.
};

class GraphFragment {
 public:
  std::vector<std::string_view> written;  ///< Names, as `return` lists them.

  void add(FragmentNode node);
  /// In the order of the text.
  [[nodiscard]] const std::vector<FragmentNode>& nodes() const { return nodes_; }
  /// The computed node of that name, otherwise one that is read; null: none.
  [[nodiscard]] const FragmentNode* find(std::string_view name) const;
  [[nodiscard]] bool is_read(std::string_view name) const { return read_.contains(name); }
  [[nodiscard]] bool is_computed(std::string_view name) const { return computed_.contains(name); }

 private:
  std::vector<FragmentNode> nodes_;
  std::map<std::string_view, std::size_t> read_, computed_;  // positions
};

/// Reads the lines of a comment, without '#'.
GraphFragment read_fragment(std::span<const std::string_view> lines, const Symbols& symbols = {});

/// The op that a node calls: "aten::mul" of "aten.mul.Tensor"; Inductor's own names become those
/// of ATen's ops that compute the same.
std::string op_of_target(std::string_view target);

/// The node's op as a framework's range would state it, with its result. Operands that the fragment
/// does not list have no shape.
OpDesc describe_node(const FragmentNode& node, const GraphFragment& fragment);

}  // namespace prof::compiled
