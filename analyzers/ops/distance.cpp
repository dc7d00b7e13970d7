// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Distances and angles between vectors.
#include <algorithm>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_distance(const OpDesc& op) {
  OpFacts facts;
  const bool backward = op.direction == Direction::kBprop;
  const std::string_view name = model_word(op);
  const Tensor* a = name == "cdist" ? input_or(op, "a", 0) : input_or(op, "x", 0);
  if (a == nullptr) return facts;
  double pairs = elements(a->shape);  // of numbers combined
  if (name == "cdist") {
    const Tensor* b = input_or(op, "b", 1);
    if (b == nullptr || b->shape.size() < 2 || a->shape.size() < 2) return facts;
    pairs *= static_cast<double>(b->shape[b->shape.size() - 2]);
  } else if (name == "pdist") {
    if (a->shape.size() != 2) return facts;
    pairs *= (static_cast<double>(a->shape[0]) - 1) / 2;
  }
  const double each = name == "cosine_similarity" ? 6 : 3;
  const double flops = (backward ? 2 : 1) * each * std::max(pairs, 0.0);
  facts.cost = cost(flops, traffic(op), Basis::kEstimated);
  return facts;
}

/// cdist computes a distance for each pair of rows.
void complete_distance(OpDesc& op) {
  const Tensor* a = input(op, "a");
  const Tensor* b = input(op, "b");
  if (op.direction == Direction::kBprop || a == nullptr || b == nullptr) return;
  if (a->shape.size() < 2 || b->shape.size() != a->shape.size()) return;
  Shape shape = a->shape;
  shape.back() = b->shape[b->shape.size() - 2];
  const DType dtype = a->dtype;
  add_output(op, "y", std::move(shape), dtype);
}

}  // namespace

void register_distance(Registry& registry);
void register_distance(Registry& registry) {
  registry.add({
      .name = "distance",
      .formulas =
          {
              {"cdist", "3·P·R·D, of P and R rows of D: subtract, square, add", "twice", "in + out",
               "estimated"},
              {"pdist", "3·D for each pair of rows", "twice", "in + out", "estimated"},
              {"pairwise_distance dist", "3E, E of the input", "twice", "in + out", "estimated"},
              {"cosine_similarity", "6E, E of the input: three products", "twice", "in + out",
               "estimated"},
          },
      .notes = "For the 2-norm; other norms take as many operations, apart from the powers.",
      .evaluate = evaluate_distance,
      .complete = complete_distance,
      .examples =
          {
              {"aten::_cdist_forward, sizes = [[8, 16], [4, 16], [], []]", "T=[(8,16),(4,16)]",
               std::nullopt, 3 * 8 * 4 * 16, 4 * (128 + 64 + 32), Basis::kEstimated,
               DType::kFloat32},
              {"aten::cosine_similarity, sizes = [[8, 16], [8, 16], [], []]", "T=[(8,16),(8,16)]",
               std::nullopt, 6 * 128, std::nullopt, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
