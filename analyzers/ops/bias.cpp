// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Adds a bias to every row; its gradient is the sum over the rows.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_bias(const OpDesc& op) {
  OpFacts facts;
  const Tensor* bias =
      op.direction == Direction::kBprop ? output(op, std::size_t{0}) : input(op, "bias");
  const Tensor* rows_of = nullptr;  // the operand with rows: y, x or dy
  for (const Tensor& tensor : op.tensors) {
    if (is_input(tensor) && &tensor != bias && rows_of == nullptr) rows_of = &tensor;
  }
  if (rows_of == nullptr || rows_of->shape.empty()) return facts;
  const auto tokens = rows(rows_of->shape);
  const std::int64_t features = rows_of->shape.back();
  if (!tokens) return facts;
  if (bias != nullptr && elements(bias->shape) != static_cast<double>(features)) return facts;
  facts.gemm = GemmShape{features, *tokens, std::nullopt, 1};
  facts.params = gemm_params(*facts.gemm, false);
  facts.cost = cost(elements(rows_of->shape), traffic(op));
  return facts;
}

}  // namespace

void register_bias(Registry& registry);
void register_bias(Registry& registry) {
  registry.add({
      .name = "bias",
      .formulas =
          {
              {"bias", "M·N", "M·N (one addition for each element reduced)",
               "in + out; if the output is y itself: M·N·s read, M·N·s written, M·s for the bias",
               "exact"},
          },
      .evaluate = evaluate_bias,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"bias","dir":"fprop","args":[
              {"name":"y","role":"in","type":"tensor","shape":[32768,512],"dtype":"float16"},
              {"name":"bias","role":"in","type":"tensor","shape":[512],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[32768,512],"dtype":"float16"}]})",
               "M=512,N=32768", GemmShape{512, 32768, std::nullopt, 1}, 16777216, 67109888},
              {R"({"v":1,"mod":"prof","op":"bias","dir":"bprop","part":"bias","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[32768,1],"dtype":"float16"},
              {"name":"dbias","role":"out","type":"tensor","shape":[1],"dtype":"float16"}]})",
               "M=1,N=32768", GemmShape{1, 32768, std::nullopt, 1}, 32768, 65538},
              {R"({"v":1,"mod":"prof","op":"bias","dir":"fprop","args":[
              {"name":"y","role":"in","type":"tensor","shape":[4,6],"dtype":"float16"},
              {"name":"bias","role":"in","type":"tensor","shape":[5],"dtype":"float16"}]})",
               "T=[(4,6),(5)]", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
