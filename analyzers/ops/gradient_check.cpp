// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks gradients for infinities and NaN, and undoes the loss scale.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_gradient_check(const OpDesc& op) {
  OpFacts facts;
  if (input(op, std::size_t{0}) == nullptr) return facts;
  if (model_word(op) == "update_scale") {
    facts.cost = cost(3 * elements(input(op, std::size_t{0})->shape), traffic(op));
    return facts;
  }
  double count = input_elements(op);
  // The flag set by infinities is often an input as well; it is not a gradient.
  for (const std::string_view other : {"found_inf", "inv_scale"}) {
    if (const Tensor* scalar = input(op, other); scalar != nullptr) {
      count -= elements(scalar->shape);
    }
  }
  const bool unscales = flag(op, "unscale") || input(op, "inv_scale") != nullptr;
  const double flops = (unscales ? 2 : 1) * count;
  facts.cost = cost(flops, traffic(op));
  return facts;
}

}  // namespace

void register_gradient_check(Registry& registry);
void register_gradient_check(Registry& registry) {
  registry.add({
      .name = "gradient_check",
      .formulas =
          {
              {"check_finite isfinite unscale scale multi_tensor_scale multi_tensor_axpby",
               "1 for each input element (without an operand `found_inf`); attr `unscale` or "
               "operand `inv_scale`: 2",
               "-", "in + out", "exact"},
              {"update_scale", "3: compare, multiply, count", "-", "in + out", "exact"},
          },
      .evaluate = evaluate_gradient_check,
      .implied_direction = Direction::kUpdate,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"check_finite","dir":"update","args":[
              {"name":"grad","role":"in","type":"tensor","shape":[512,13],"dtype":"float32"},
              {"name":"found_inf","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=(512,13)", std::nullopt, 6656, 26628},
              {R"({"v":1,"mod":"prof","op":"check_finite","dir":"update","args":[
              {"name":"grad","role":"in","type":"tensor","shape":[8],"dtype":"float16"},
              {"name":"grad","role":"out","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"found_inf","role":"out","type":"tensor","shape":[],"dtype":"float32"}],
              "attrs":{"unscale":true}})",
               "T=(8)", std::nullopt, 16, 52},
              {R"({"v":1,"mod":"prof","op":"multi_tensor_scale","dir":"update","args":[
              {"name":"found_inf","role":"in","type":"tensor","shape":[1],"dtype":"int32"},
              {"name":"grad0","role":"in","type":"tensor","shape":[8],"dtype":"float16"},
              {"name":"grad1","role":"in","type":"tensor","shape":[2,3],"dtype":"float16"},
              {"name":"grad0","role":"out","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"grad1","role":"out","type":"tensor","shape":[2,3],"dtype":"float32"}]})",
               "T=[(1),(8),(2,3)]", std::nullopt, 14, 88},
              {R"({"v":1,"mod":"prof","op":"unscale","args":[
              {"name":"grad","role":"inout","type":"tensor","shape":[8],"dtype":"float32"}]})",
               "T=(8)", std::nullopt, 8, 64},
              {"aten::_amp_foreach_non_finite_check_and_unscale_, sizes = [[8, 4], [8], [], []]",
               "T=[(8,4),(8),(),()]", std::nullopt, 80, 4 * (40 + 2 + 40), Basis::kExact,
               DType::kFloat32},
          },
  });
}

}  // namespace prof::ops
