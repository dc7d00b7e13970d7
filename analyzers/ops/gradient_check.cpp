// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looking for infinities and NaN in gradients, and undoing the loss scale.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const double count = input_elements(op);
  if (input(op, std::size_t{0}) == nullptr) return facts;
  facts.cost = {flag(op, "unscale") ? 2 * count : count, moved_bytes(op), Basis::kExact};
  return facts;
}

}  // namespace

void register_gradient_check(Registry& registry);
void register_gradient_check(Registry& registry) {
  registry.add({
      .name = "gradient_check",
      .words = {"check_finite", "isfinite", "unscale", "scale", "multi_tensor_scale",
                "multi_tensor_axpby"},
      .evaluate = evaluate,
      .implied_direction = Direction::kUpdate,
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
              {R"({"v":1,"mod":"prof","op":"unscale","args":[
              {"name":"grad","role":"inout","type":"tensor","shape":[8],"dtype":"float32"}]})",
               "T=(8)", std::nullopt, 8, 64},
          },
  });
}

}  // namespace prof::ops
