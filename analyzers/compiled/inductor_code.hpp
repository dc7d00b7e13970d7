// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the Python module that Inductor generates for one graph: which kernels it defines, and
// which calls it makes, in the order in which it makes them (docs/graphs.md has the format, as
// torch 2.4 to 2.15 write it). Parts that are not understood are left out: the calls that remain
// either fit the kernels that ran, or the graph counts as one that does not align. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/compiled/graph_fragment.hpp"
#include "analyzers/compiled/kernel_code.hpp"
#include "libprof/model/tensor.hpp"

namespace prof::compiled {

/// Texts that have more are damaged, and cut: calls, and arguments and source nodes of all calls.
inline constexpr std::size_t kMaxSites = 1U << 17;
inline constexpr std::size_t kMaxWords = 1U << 21;

/// The names in "# Topologically Sorted Source Nodes: [a, b]", with which a comment begins.
struct SourceList {
  std::vector<std::string_view> names;
  bool is_ordered = false;  ///< As the nodes run; else by name, or in no order (torch 2.4).
};

/// "x => embedding": a name in lists of source nodes, and the nodes of the graph made from it.
struct NodeOrigin {
  std::string_view source;
  std::vector<std::string_view> made;
};

struct Definition {
  /// Symbols of the kernel on the GPU; several: one of them runs. Empty: not known.
  std::vector<std::string_view> symbols;
  SourceList sources;  ///< Sources of the first call.
  std::vector<NodeOrigin> origins;
  GraphFragment fragment;
  std::vector<std::string_view> parameters;  ///< "in_ptr0", "out_ptr0", "xnumel", ...
  std::string_view written_at;               ///< "file.py:12" of a kernel that the program wrote.
  KernelArithmetic arithmetic;               ///< Arithmetic of its body, if there is no fragment.
};

/// A call that launches work: of a kernel that the text defines, or of an op of the framework.
struct Call {
  const Definition* kernel = nullptr;  ///< Null: an op.
  std::string_view op;                 ///< "mm", "_scaled_dot_product_flash_attention"
  SourceList sources;
  std::vector<std::string_view> args;  ///< As the text has them.
  bool is_optional = false;            ///< In a branch or a loop: it may not run.
};

/// A tensor that the code has a name for.
struct Buffer {
  DType dtype = DType::kUnknown;
  std::string_view sizes;  ///< As the text has them: "s33, 128".
};

struct InductorCode {
  std::shared_ptr<const std::string> text;  ///< The text that all views refer to.
  Direction direction = Direction::kNone;
  std::vector<std::unique_ptr<const Definition>> definitions;
  std::vector<Call> calls;
  std::map<std::string_view, Buffer> buffers;
  Symbols symbols;          ///< The sizes with which the text was read.
  bool is_guess = false;    ///< These values of the sizes are guessed.
  bool is_dynamic = false;  ///< Some sizes are symbols.
};

/// As the text has the sizes of a tensor. Nullopt: not known, or no tensor.
std::optional<std::string_view> sizes_of_argument(const InductorCode& code, std::string_view arg);

/// The type of "buf3" or "reinterpret_tensor(buf3, (512, 256), ..)". Nullopt: not known, or no
/// tensor.
std::optional<TensorType> type_of_argument(const InductorCode& code, std::string_view arg);

InductorCode read_inductor_code(std::shared_ptr<const std::string> text, Symbols symbols = {});

}  // namespace prof::compiled
