// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers. Generating them is integer arithmetic, which is not counted.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_random(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  facts.cost = cost(0, {input_bytes(op).value_or(0), output_bytes(op)}, Basis::kEstimated);
  if (input_count(op) > 0 && !input_bytes(op)) facts.cost = cost(0, {}, Basis::kEstimated);
  return facts;
}

/// As many numbers as the first input has; the number of multinomial draws is unknown.
void complete_random(OpDesc& op) {
  if (model_word(op) != "multinomial") complete_like_first(op);
}

}  // namespace

void register_random(Registry& registry);
void register_random(Registry& registry) {
  registry.add({
      .name = "random",
      .formulas =
          {
              {"rand randn randint randperm rand_like randn_like randint_like uniform normal "
               "log_normal cauchy exponential geometric random bernoulli multinomial poisson "
               "binomial _standard_gamma _sample_dirichlet",
               "0", "-", "in + out", "estimated"},
          },
      .notes = "PyTorch does not state the shape of a factory's result.",
      .evaluate = evaluate_random,
      .complete = complete_random,
      .no_product = true,
      .ordering = "randperm",
      .examples =
          {
              {"aten::uniform_, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt, 0, 512,
               Basis::kEstimated, DType::kFloat32},
              {"aten::bernoulli, sizes = [[8, 16], []]", "T=(8,16)", std::nullopt, 0, 1024,
               Basis::kEstimated, DType::kFloat32},
              {"aten::randperm, sizes = [[], [], [100]]", "T=(100)", std::nullopt, 0, 800,
               Basis::kEstimated, DType::kInt64},
              {"aten::rand, sizes = [[], [], [], [], []]", "", std::nullopt, std::nullopt,
               std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
