// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums and means of looked-up rows, bag by bag.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_embedding_bag(const OpDesc& op) {
  OpFacts facts;
  const Tensor* indices = input(op, "indices");
  if (indices == nullptr) return facts;
  const double lookups = elements(indices->shape);
  if (op.direction == Direction::kBprop) {
    const Tensor* dout = input_or(op, "dout", 0);
    if (dout == nullptr || dout->shape.size() != 2) return facts;
    const auto width = static_cast<double>(dout->shape[1]);
    facts.cost = cost(lookups * width, {}, Basis::kEstimated);
    return facts;
  }
  const Tensor* table = input(op, "weight");
  const Tensor* offsets = input(op, "offsets");
  if (table == nullptr || table->shape.size() != 2) return facts;
  facts.params = "I=" + text(indices->shape) + ",E=" + text(table->shape);
  facts.dtype = table->dtype;
  const auto width = static_cast<double>(table->shape[1]);
  double bags = offsets != nullptr           ? elements(offsets->shape)
                : indices->shape.size() == 2 ? static_cast<double>(indices->shape[0])
                                             : 1;
  if (offsets != nullptr && flag(op, "include_last_offset") && bags > 0) --bags;
  double flops = lookups * width;
  if (word(op, "mode") == "mean") flops += bags * width;
  if (input(op, "per_sample_weights") != nullptr) flops += lookups * width;
  Traffic moved;
  if (const auto size = size_bytes(table->dtype)) {
    const double row = width * static_cast<double>(*size);
    moved = {sum(tensor_bytes(*indices), lookups * row), bags * row};
    if (offsets != nullptr) moved.read = sum(moved.read, tensor_bytes(*offsets));
  }
  facts.cost = cost(flops, moved, Basis::kEstimated);
  return facts;
}

}  // namespace

void register_embedding_bag(Registry& registry);
void register_embedding_bag(Registry& registry) {
  registry.add({
      .name = "embedding_bag",
      .formulas =
          {
              {"embedding_bag",
               "n·D; attr `mode`=mean: + bags·D; operand `per_sample_weights`: + n·D", "n·D",
               "forward: indices, offsets + n·D·s read, bags·D·s written", "estimated"},
          },
      .notes = "n indices, rows of size D. With attr `include_last_offset`, the last offset is the "
               "end of the last bag.",
      .evaluate = evaluate_embedding_bag,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"embedding_bag","dir":"fprop","args":[
              {"name":"weight","role":"in","type":"tensor","shape":[1000,16],"dtype":"float32"},
              {"name":"indices","role":"in","type":"tensor","shape":[32],"dtype":"int64"},
              {"name":"offsets","role":"in","type":"tensor","shape":[4],"dtype":"int64"}],
              "attrs":{"mode":"mean"}})",
               "I=(32),E=(1000,16)", std::nullopt, 512 + 64, 256 + 2048 + 256 + 32,
               Basis::kEstimated},
              {"aten::_embedding_bag_dense_backward, sizes = [[4, 16], [32], [32], [4], [0], [], "
               "[], [], [], []]",
               "T=[(4,16),(32),(32),(4),(0)]", std::nullopt, 512, std::nullopt, Basis::kEstimated},
              {R"({"op":"aten::embedding_bag","args":[{"shape":[1000,16],"dtype":"float32"},
              {"shape":[32],"dtype":"int64"},{"shape":[5],"dtype":"int64"},{"value":false},
              {"value":1},{"value":false},null,{"value":true},null]})",
               "I=(32),E=(1000,16)", std::nullopt, 512 + 64, 256 + 2048 + 256 + 40,
               Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
