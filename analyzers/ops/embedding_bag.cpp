// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums and means of looked-up rows, bag by bag.
#include <algorithm>

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
    Traffic moved;
    if (const Tensor* table = output(op, "dweight"); table != nullptr) {
      const auto rows_of_table = static_cast<double>(table->shape[0]);
      moved.read = sum(tensor_bytes(*dout), tensor_bytes(*indices));
      if (const auto size = size_bytes(table->dtype)) {
        moved.written = std::min(lookups, rows_of_table) * width * static_cast<double>(*size);
      }
    }
    facts.cost = cost(lookups * width, moved, Basis::kEstimated);
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
    const auto vocabulary = static_cast<double>(table->shape[0]);
    moved = {sum(tensor_bytes(*indices), std::min(lookups, vocabulary) * row), bags * row};
    if (offsets != nullptr) moved.read = sum(moved.read, tensor_bytes(*offsets));
  }
  facts.cost = cost(flops, moved, Basis::kEstimated);
  return facts;
}

/// PyTorch's gradient states how many rows the table has.
void complete_embedding_bag(OpDesc& op) {
  const Tensor* dout = input(op, "dout");
  const auto row_count = sizes(op, "num_weights", 1);
  if (op.direction != Direction::kBprop || dout == nullptr || dout->shape.size() != 2) return;
  if (!row_count || (*row_count)[0] < 0) return;
  const DType dtype = dout->dtype;
  add_output(op, "dweight", {(*row_count)[0], dout->shape[1]}, dtype);
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
               "forward: indices, offsets + min(n,V)·D·s read, bags·D·s written; backward: "
               "indices, "
               "dy read, min(n,V)·D·s written",
               "estimated"},
          },
      .notes = "n indices into a table of V rows of size D; in PyTorch's gradient V is attr "
               "`num_weights`. With attr `include_last_offset`, the last offset is the "
               "end of the last bag.",
      .evaluate = evaluate_embedding_bag,
      .complete = complete_embedding_bag,
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
              {R"({"op":"aten::_embedding_bag_dense_backward","args":[{"shape":[4,16],"dtype":"float32"},
              {"shape":[32],"dtype":"int64"},{"shape":[32],"dtype":"int64"},
              {"shape":[4],"dtype":"int64"},{"shape":[0],"dtype":"int64"},{"value":10},
              {"value":false},{"value":0},null,{"value":-1}]})",
               "T=[(4,16),(32),(32),(4),(0)]", std::nullopt, 512, 256 + 256 + 640,
               Basis::kEstimated},
              {R"({"op":"aten::embedding_bag","args":[{"shape":[1000,16],"dtype":"float32"},
              {"shape":[32],"dtype":"int64"},{"shape":[5],"dtype":"int64"},{"value":false},
              {"value":1},{"value":false},null,{"value":true},null]})",
               "I=(32),E=(1000,16)", std::nullopt, 512 + 64, 256 + 2048 + 256 + 40,
               Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
