// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantization to integers, and its simulation in training.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_quantize(const OpDesc& op) {
  OpFacts facts;
  const Tensor* main = input(op, std::size_t{0});
  if (main == nullptr) return facts;
  const std::string_view name = model_word(op);
  double each = 7;
  if (name == "quantize") each = 5;
  if (name == "dequantize") each = 2;
  if (op.direction == Direction::kBprop) each = 1;
  facts.params = main_params(op);
  facts.cost = cost(each * elements(main->shape), traffic(op), Basis::kEstimated);
  return facts;
}

/// Simulated values keep their type; a quantized tensor's type is unknown.
void complete_quantize(OpDesc& op) {
  if (model_word(op) != "fake_quantize") return;
  complete_like_first(op);
  if (op.direction == Direction::kBprop || op.op.find("cachemask") == std::string::npos) return;
  add_output(op, "mask", Shape(op.tensors.front().shape), DType::kBool);
}

}  // namespace

void register_quantize(Registry& registry);
void register_quantize(Registry& registry) {
  registry.add({
      .name = "quantize",
      .formulas =
          {
              {"fake_quantize", "7E: scale, round, shift, clamp twice, shift back, scale", "E",
               "in + out", "estimated"},
              {"quantize", "5E", "-", "in + out", "estimated"},
              {"dequantize", "2E", "-", "in + out", "estimated"},
          },
      .evaluate = evaluate_quantize,
      .complete = complete_quantize,
      .no_product = true,
      .examples =
          {
              {"aten::fake_quantize_per_tensor_affine_cachemask, sizes = [[8, 16], [], [], [], []]",
               "T=(8,16)", std::nullopt, 896, 4.0 * 256 + 128, Basis::kEstimated, DType::kFloat32},
              {"aten::fake_quantize_per_tensor_affine_cachemask_backward, sizes = [[8, 16], [8, "
               "16]]",
               "T=(8,16)", std::nullopt, 128, std::nullopt, Basis::kEstimated},
              {"aten::quantize_per_tensor, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt,
               640, std::nullopt, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
