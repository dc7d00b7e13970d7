// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An op model knows one class of ops: what is printed of them, their matrix product, what they
// cost. It is a plain function of an op's description; the formulas are those of
// docs/conventions.md. Models are stateless, and their worked examples are run as tests and read as
// documentation. How to add one: docs/add_op.md.
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
};

/// A worked example: an op's text in the native dialect, and what the model must say of it.
struct OpExample {
  std::string_view text;
  std::string_view params;
  std::optional<GemmShape> gemm;
  std::optional<double> flops;
  std::optional<double> bytes;
  Basis basis = Basis::kExact;
};

struct OpModel {
  std::string_view name;  ///< One word for the class, as in the list of registered models.
  std::vector<std::string_view>
      words;  ///< The ops that it knows, without `aten::` and trailing `_`.
  OpFacts (*evaluate)(const OpDesc& op) = nullptr;
  /// The direction that such an op has where no range says any.
  Direction implied_direction = Direction::kNone;
  std::vector<OpExample> examples;  ///< At least one for each word's way of counting.
};

}  // namespace prof::ops
