// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An op model describes one class of ops: their printed parameters, matrix product and cost. It is
// a plain function of an op's description. Models are stateless; their worked examples run as
// tests, and formulas and examples are printed in docs/ops.md. How to add one: docs/add.md.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/model/attribution.hpp"

namespace prof::ops {

/// A model's statements about one op.
struct OpFacts {
  std::string params;  ///< If empty, the inputs' shapes are printed.
  std::optional<GemmShape> gemm;
  DType dtype = DType::kUnknown;  ///< If unknown, the dtype of the main input is used.
  OpCost cost;
  std::vector<Operand> operands = {};  ///< Not set by models: it follows from the op's tensors.
  OpClaims claims = {};  ///< The model sets inner sizes, head size and layout; the rest is derived.
};

/// A worked example: an op, and what the model must state about it.
struct OpExample {
  /// In the native dialect, or the signature of an op fact (docs/op_facts.md), or as PyTorch's
  /// emit_nvtx writes it: "aten::mm, sizes = [[4, 2], [2, 3]]".
  std::string_view text;
  std::string_view params;
  std::optional<GemmShape> gemm;
  std::optional<double> flops;
  std::optional<double> bytes;
  Basis basis = Basis::kExact;
  /// For the last form, which has none: the dtype of all tensors.
  DType dtype = DType::kUnknown;
  /// For the last form: an enclosing range that states the op's attributes.
  std::string_view around = {};
};

/// How some of a model's words are counted: a row of its table in docs/ops.md. E: elements of the
/// output (for reductions and losses: of the main input); in, out: bytes of all inputs, of all
/// outputs; s: bytes per element. "-": not applicable, or no formula.
struct OpFormula {
  std::string_view words;  ///< Space-separated; each word of the model is in exactly one row.
  std::string_view forward;
  std::string_view backward = "-";
  std::string_view bytes = "in + out";
  std::string_view basis = "exact";
};

/// The gradients that one op computes, each described as an op of its own, by Part: absent if it is
/// not computed.
struct GradientOps {
  std::array<std::optional<OpDesc>, GradientAttributions::kParts> of = {};
  bool is_stated = false;  ///< It is known which ones are computed; if not, `of` has them all.
  bool is_linear = false;  ///< The gradients are those of a linear layer: y = x Wᵀ or y = x W.
  bool in_order = true;    ///< The framework computes them one after the other, data first.
};

struct OpModel {
  std::string_view name = {};  ///< One word for the class, as in the list of registered models.
  std::string_view file = {};  ///< "analyzers/ops/linear.cpp"; set where it is registered.
  std::vector<OpFormula> formulas =
      {};                       ///< With the ops' words, without `aten::` and trailing `_`.
  std::string_view notes = {};  ///< Printed below the table.
  OpFacts (*evaluate)(const OpDesc& op) = nullptr;
  /// Adds the outputs implied by the inputs; called for an op that names none. May be null.
  void (*complete)(OpDesc& op) = nullptr;
  /// The gradients of the operands of a forward op, or those that a backward op computes with
  /// kernels of their own. Nullopt: shapes are missing or do not fit. May be null.
  std::optional<GradientOps> (*gradients)(const OpDesc& op) = nullptr;
  /// Almost all of the cost is in matrix products, convolutions or attention: if there are such
  /// kernels, they carry it (docs/conventions.md).
  bool is_product = false;
  /// The direction of such an op if no range states one.
  Direction implied_direction = Direction::kNone;
  /// No implementation of such an op uses a matrix product.
  bool no_product = false;
  /// Such an op writes values that no tensor states.
  bool fills = false;
  /// Such ops work on integers as well: without a type, FLOPs are an estimate.
  bool takes_integers = false;
  /// The words of ops whose work is to sort, scan, select or number elements. Inside any other op,
  /// kernels that do so only prepare its work (docs/conventions.md).
  std::string_view ordering = {};
  /// A collective: an op of its own wherever it is called, including in another op's backward.
  bool between_devices = false;
  std::vector<OpExample> examples = {};  ///< At least one for each formula.
};

}  // namespace prof::ops
