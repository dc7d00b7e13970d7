// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes the element type.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  facts.params = main_params(op);
  facts.cost = cost(0, traffic(op));
  return facts;
}

}  // namespace

void register_cast(Registry& registry);
void register_cast(Registry& registry) {
  registry.add({
      .name = "cast",
      .formulas =
          {
              {"to float half bfloat16 double type type_as", "0", "0", "in + out", "exact"},
          },
      .notes = "The result dtype of PyTorch's own casts is unknown, so its bytes are too.",
      .evaluate = evaluate,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"to","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768,13],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[32768,13],"dtype":"float16"}]})",
               "T=(32768,13)", std::nullopt, 0, 2555904},
              {R"({"v":1,"mod":"prof","op":"to","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[10],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[10],"dtype":"float32"}]})",
               "T=(10)", std::nullopt, 0, 60},
              {R"({"v":1,"mod":"prof","op":"float","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[10],"dtype":"float16"}]})",
               "T=(10)", std::nullopt, 0, std::nullopt},
          },
  });
}

}  // namespace prof::ops
