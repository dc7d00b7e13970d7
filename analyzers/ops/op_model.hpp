// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An op model knows one class of ops: what is printed of them, their matrix product, what they
// cost. It is a plain function of an op's description. Models are stateless; their formulas and
// worked examples are run as tests and printed as docs/ops.md. How to add one: docs/add_op.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/attribution.hpp"

namespace prof::ops {

/// What a model says of one op.
struct OpFacts {
  std::string params;  ///< Left empty: the inputs' shapes are printed.
  std::optional<GemmShape> gemm;
  DType dtype = DType::kUnknown;  ///< Left unknown: the dtype of the main input.
  OpCost cost;
  OpClaims claims = {};  ///< Inner sizes, head size and layout are the model's, the rest follows.
};

/// A worked example: an op, and what the model must say of it.
struct OpExample {
  /// In the native dialect, or as PyTorch's emit_nvtx writes it: "aten::mm, sizes = [[4, 2], [2,
  /// 3]]".
  std::string_view text;
  std::string_view params;
  std::optional<GemmShape> gemm;
  std::optional<double> flops;
  std::optional<double> bytes;
  Basis basis = Basis::kExact;
  /// For the second form, which says none: the dtype of all tensors.
  DType dtype = DType::kUnknown;
  /// For the second form: a range around the op that says its attributes.
  std::string_view around = {};
};

/// How some of a model's words are counted: a row of its table in docs/ops.md. E: elements of the
/// output (of reductions and losses: of the main input); in, out: bytes of all inputs, of all
/// outputs; s: bytes of an element. "-": there is no such thing, or no formula.
struct OpFormula {
  std::string_view words;  ///< Separated by blanks; in all rows, each word of the model once.
  std::string_view forward;
  std::string_view backward = "-";
  std::string_view bytes = "in + out";
  std::string_view basis = "exact";
};

struct OpModel {
  std::string_view name = {};  ///< One word for the class, as in the list of registered models.
  std::vector<OpFormula> formulas =
      {};                       ///< With the ops' words, without `aten::` and trailing `_`.
  std::string_view notes = {};  ///< Printed below the table: what a reader must know.
  OpFacts (*evaluate)(const OpDesc& op) = nullptr;
  /// Adds the outputs that follow from the inputs; called for an op that names none. May be null.
  void (*complete)(OpDesc& op) = nullptr;
  /// Almost all of the cost is that of matrix products, convolutions or attention: kernels of those
  /// pay, where there are any (docs/conventions.md).
  bool is_product = false;
  /// The direction that such an op has where no range says any.
  Direction implied_direction = Direction::kNone;
  /// No way to compute such an op has a matrix product in it.
  bool no_product = false;
  /// What several GPUs do together: an op of its own wherever it is called, also in the backward of
  /// another op.
  bool between_devices = false;
  std::vector<OpExample> examples = {};  ///< At least one for each word's way of counting.
};

}  // namespace prof::ops
