// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses and their gradients with regard to the prediction. A backward op with `fused_forward`
// computes the loss in the same kernel.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Counting {
  std::string_view word;
  double forward, backward;            ///< FLOPs for each element of the prediction.
  double forward_rows, backward_rows;  ///< FLOPs for each row of it.
};

constexpr Counting kCountings[] = {
    {"binary_cross_entropy_with_logits", 8, 4, 0, 0},
    {"mse_loss", 2, 2, 0, 0},
    {"cross_entropy", 5, 3, 1, 0},
    {"nll_loss", 0, 0, 1, 1},
};

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* prediction = input_or(op, "x", 0);
  if (prediction == nullptr) return facts;
  Counting count = kCountings[0];
  const std::string_view name = canonical_word(op.op);
  for (const Counting& known : kCountings) {
    if (known.word == name) count = known;
  }
  const double total = elements(prediction->shape);
  const bool by_rows = count.forward_rows > 0 || count.backward_rows > 0;
  double row_count = total;
  if (by_rows && !prediction->shape.empty()) {
    const auto width = static_cast<double>(prediction->shape.back());
    row_count = width > 0 ? total / width : 0;
  }
  const std::string_view reduction = word(op, "reduction");
  const bool reduced = reduction != "none";
  const bool mean = reduced && reduction != "sum";
  const bool backward = op.direction == Direction::kBprop;
  double flops = 0;
  if (backward) {
    flops = count.backward * total + count.backward_rows * row_count;
    if (reduced && !by_rows) flops += count.word == "mse_loss" ? 0 : total;
  }
  if (!backward || flag(op, "fused_forward")) {
    flops += count.forward * total + count.forward_rows * row_count;
    if (reduced && !by_rows) flops += total;
    if (mean) flops += 1;
  }
  facts.cost = {flops, moved_bytes(op), Basis::kEstimated};
  return facts;
}

}  // namespace

void register_loss(Registry& registry);
void register_loss(Registry& registry) {
  registry.add({
      .name = "loss",
      .words = {"binary_cross_entropy_with_logits", "mse_loss", "cross_entropy", "nll_loss"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"binary_cross_entropy_with_logits","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[32768],"dtype":"float32"},
              {"name":"loss","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=[(32768),(32768)]", std::nullopt, 294913, 262148, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"binary_cross_entropy_with_logits","dir":"bprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[32768],"dtype":"float32"},
              {"name":"dloss","role":"in","type":"tensor","shape":[],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[32768],"dtype":"float32"}]})",
               "T=[(32768),(32768),()]", std::nullopt, 163840, 393220, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"binary_cross_entropy_with_logits","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"loss","role":"out","type":"tensor","shape":[8],"dtype":"float32"}],
              "attrs":{"reduction":"none"}})",
               "T=[(8),(8)]", std::nullopt, 64, 96, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"mse_loss","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"loss","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=[(8),(8)]", std::nullopt, 25, 68, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"cross_entropy","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,10],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[4],"dtype":"int64"},
              {"name":"loss","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=[(4,10),(4)]", std::nullopt, 205, 196, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"cross_entropy","dir":"bprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,10],"dtype":"bfloat16"},
              {"name":"target","role":"in","type":"tensor","shape":[4],"dtype":"int32"},
              {"name":"dx","role":"out","type":"tensor","shape":[4,10],"dtype":"bfloat16"},
              {"name":"losses","role":"out","type":"tensor","shape":[4],"dtype":"float32"}],
              "attrs":{"fused_forward":true,"reduction":"none"}})",
               "T=[(4,10),(4)]", std::nullopt, 324, 192, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
