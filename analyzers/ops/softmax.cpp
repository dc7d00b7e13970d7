// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax and log softmax over one dimension.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* main = input(op, std::size_t{0});
  if (main == nullptr) return facts;
  const double each = op.direction == Direction::kBprop ? 4 : 5;
  facts.params = main_params(op);
  facts.cost = {each * elements(main->shape), moved_bytes(op), Basis::kExact};
  return facts;
}

}  // namespace

void register_softmax(Registry& registry);
void register_softmax(Registry& registry) {
  registry.add({
      .name = "softmax",
      .words = {"softmax", "_softmax", "log_softmax", "_log_softmax"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"softmax","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8,128],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[8,128],"dtype":"float16"}]})",
               "T=(8,128)", std::nullopt, 5120, 4096},
              {R"({"v":1,"mod":"prof","op":"log_softmax","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[8,10],"dtype":"float32"},
              {"name":"y","role":"in","type":"tensor","shape":[8,10],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[8,10],"dtype":"float32"}]})",
               "T=(8,10)", std::nullopt, 320, 960},
          },
  });
}

}  // namespace prof::ops
