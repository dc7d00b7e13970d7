// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CompiledSite: what one call in generated code computes, as the code itself says it. Immutable.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analyzers/model/attribution.hpp"

namespace prof {

struct CompiledSite {
  std::shared_ptr<const OpDesc> op;  ///< The program's op that most of the work is; null: unknown.
  /// The op that the compiler made of it, with shapes: the part of it that costs most. Null: the
  /// call runs an op of the framework, which states its own.
  std::shared_ptr<const OpDesc> computed;
  std::string ops;     ///< All that the call computes: "silu(silu_3) mul(mul_7)".
  std::string layer;   ///< Its module's path, from the compiled module on; empty: that itself.
  std::string layers;  ///< For several modules: "blocks.0.n1 0.75, emb 0.25"; empty: one module.
  std::string source_line;  ///< Where the program calls the op.
  /// The optimizer whose step it is; null: no part of one.
  std::shared_ptr<const OpDesc> optimizer;
  bool is_guessed = false;  ///< `layer`: that it is this one of those that run the source line.
  /// The code names source nodes, none of which is known.
  bool is_unplaced = false;
  bool is_recomputed = false;  ///< A forward op in the code of a backward pass.
  bool is_known = false;       ///< A model knows one of the ops.
  /// Cost of all that the call computes; absent: that of the framework's op.
  std::optional<OpCost> cost;
};

}  // namespace prof
