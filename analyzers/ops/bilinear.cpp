// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Bilinear layer: y[o] = x1 W[o] x2 + bias[o] for each row. PyTorch multiplies all three
// elementwise and sums.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_bilinear(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x1 = input(op, "x1");
  const Tensor* weight = input(op, "weight");
  // Inside, _trilinear takes the weight as its second argument.
  if (weight == nullptr) weight = input(op, "x2");
  if (x1 == nullptr || weight == nullptr || weight->shape.size() != 3) return facts;
  const auto tokens = rows(x1->shape);
  if (!tokens) return facts;
  double flops = 3 * static_cast<double>(*tokens) * elements(weight->shape);
  if (input(op, "bias") != nullptr) {
    flops += static_cast<double>(*tokens) * static_cast<double>(weight->shape[0]);
  }
  facts.cost = cost(flops, traffic(op), Basis::kEstimated);
  return facts;
}

}  // namespace

void register_bilinear(Registry& registry);
void register_bilinear(Registry& registry) {
  registry.add({
      .name = "bilinear",
      .formulas = {{"bilinear", "3·rows·E(W): multiply twice, add; operand `bias`: + outputs", "-",
                    "in + out", "estimated"}},
      .evaluate = evaluate_bilinear,
      .examples =
          {
              {"aten::bilinear, sizes = [[8, 16], [8, 12], [4, 16, 12], [4]]",
               "T=[(8,16),(8,12),(4,16,12),(4)]", std::nullopt, 3 * 8 * 768 + 32, std::nullopt,
               Basis::kEstimated},
              {"aten::_trilinear, sizes = [[8, 16], [4, 16, 12], [8, 12], [], [], [], [], []]",
               "T=[(8,16),(4,16,12),(8,12)]", std::nullopt, 3 * 8 * 768, std::nullopt,
               Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
