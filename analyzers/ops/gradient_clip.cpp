// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The clipping factor for gradients: min(1, limit / (norm + epsilon)). Applying it is a separate op
// or part of the optimizer's.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_gradient_clip(const OpDesc& op) {
  OpFacts facts;
  if (output(op, std::size_t{0}) == nullptr) return facts;
  facts.cost = cost(3 * output_elements(op), traffic(op));
  return facts;
}

}  // namespace

void register_gradient_clip(Registry& registry);
void register_gradient_clip(Registry& registry) {
  registry.add({
      .name = "gradient_clip",
      .formulas =
          {
              {"clip_grad_norm", "3 for each factor: add epsilon, divide, compare", "-", "in + out",
               "exact"},
          },
      .evaluate = evaluate_gradient_clip,
      .implied_direction = Direction::kUpdate,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"clip_grad_norm_","dir":"update","args":[
              {"name":"norm","role":"in","type":"tensor","shape":[1],"dtype":"float32"},
              {"name":"coefficient","role":"out","type":"tensor","shape":[1],"dtype":"float32"}]})",
               "T=(1)", std::nullopt, 3, 8},
          },
  });
}

}  // namespace prof::ops
