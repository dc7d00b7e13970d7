// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Embedding lookup and its gradient. The rows looked up count, not the table. An operand
// `position_weight` (positions, width) means that the same kernel adds a row for each position.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// PyTorch's gradient does not state the size of the table, but the additions are still known.
OpFacts without_table(const Tensor& dout) {
  OpFacts facts;
  facts.cost = cost(elements(dout.shape), {}, Basis::kEstimated);
  return facts;
}

OpFacts embedding_backward(const OpDesc& op) {
  OpFacts facts;
  const Tensor* indices = input_or(op, "indices", 0);
  const Tensor* dout = input_or(op, "dout", 1);
  const Tensor* table = output(op, "dweight");
  if (table == nullptr) table = output(op, std::size_t{0});
  if (table == nullptr && dout != nullptr && has_shapes_only(op)) return without_table(*dout);
  if (indices == nullptr || table == nullptr || table->shape.size() != 2) return facts;
  facts.params = "I=" + text(indices->shape) + ",E=" + text(table->shape);
  facts.dtype = table->dtype;
  const double lookups = elements(indices->shape);
  const auto vocabulary = static_cast<double>(table->shape[0]);
  const auto width = static_cast<double>(table->shape[1]);
  Traffic moved;
  if (const auto size = size_bytes(table->dtype); size && dout != nullptr) {
    const double written_rows = lookups < vocabulary ? lookups : vocabulary;
    moved = {sum(tensor_bytes(*dout), tensor_bytes(*indices)),
             written_rows * width * static_cast<double>(*size)};
  }
  // The shapes do not show how many rows repeat.
  facts.cost = cost(lookups * width, moved, Basis::kEstimated);
  return facts;
}

/// PyTorch's gradient states how many rows the table has.
void complete_embedding(OpDesc& op) {
  const Tensor* dout = input(op, "dout");
  const auto row_count = sizes(op, "num_weights", 1);
  if (op.direction != Direction::kBprop || flag(op, "sparse") || dout == nullptr) return;
  if (!row_count || (*row_count)[0] < 0 || dout->shape.empty()) return;
  const DType dtype = dout->dtype;
  add_output(op, "dweight", {(*row_count)[0], dout->shape.back()}, dtype);
}

OpFacts evaluate_embedding(const OpDesc& op) {
  if (op.direction == Direction::kBprop) return embedding_backward(op);
  OpFacts facts;
  const Tensor* indices = input_or(op, "indices", 0);
  const Tensor* table = input_or(op, "weight", 1);
  if (indices == nullptr || table == nullptr || table->shape.size() != 2) return facts;
  facts.params = "I=" + text(indices->shape) + ",E=" + text(table->shape);
  facts.dtype = table->dtype;
  const double lookups = elements(indices->shape);
  const auto width = static_cast<double>(table->shape[1]);
  double flops = 0;
  Traffic moved;
  if (const auto size = size_bytes(table->dtype)) {
    const double row = width * static_cast<double>(*size);
    const auto vocabulary = static_cast<double>(table->shape[0]);
    // Rows that are looked up again come from the cache: a table is read once at most.
    moved = {sum(tensor_bytes(*indices), std::min(lookups, vocabulary) * row), lookups * row};
  }
  if (const Tensor* positions = input(op, "position_weight"); positions != nullptr) {
    flops = lookups * width;
    moved.read = sum(moved.read, tensor_bytes(*positions));
  }
  facts.cost = cost(flops, moved);
  return facts;
}

}  // namespace

void register_embedding(Registry& registry);
void register_embedding(Registry& registry) {
  registry.add({
      .name = "embedding",
      .formulas =
          {
              {"embedding",
               "0; with an operand `position_weight` (T,D), added by the same kernel: n·D",
               "n·D (upper limit: one addition for each repeated row)",
               "forward: n·s(indices) + (n + min(n,V))·D·s(weight), + T·D·s(position_weight); "
               "backward: "
               "n·s(indices) + n·D·s(dout) + min(n,V)·D·s(dweight)",
               "exact forward, estimated backward (repeats are unknown)"},
          },
      .notes = "n indices into a table of V rows of size D. PyTorch's gradient does not state the "
               "table but its rows: attr `num_weights`.",
      .evaluate = evaluate_embedding,
      .complete = complete_embedding,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"embedding","dir":"fprop","args":[
              {"name":"indices","role":"in","type":"tensor","shape":[32768],"dtype":"int64"},
              {"name":"weight","role":"in","type":"tensor","shape":[100000,128],"dtype":"float32"},
              {"name":"out","role":"out","type":"tensor","shape":[32768,128],"dtype":"float32"}]})",
               "I=(32768),E=(100000,128)", std::nullopt, 0, 33816576},
              {R"({"v":1,"mod":"prof","op":"embedding","dir":"fprop","args":[
              {"name":"indices","role":"in","type":"tensor","shape":[4,1024],"dtype":"int32"},
              {"name":"weight","role":"in","type":"tensor","shape":[50304,768],"dtype":"bfloat16"},
              {"name":"position_weight","role":"in","type":"tensor","shape":[1024,768],"dtype":"bfloat16"},
              {"name":"out","role":"out","type":"tensor","shape":[4,1024,768],"dtype":"bfloat16"}]})",
               "I=(4,1024),E=(50304,768)", std::nullopt, 3145728, 14172160},
              {R"({"v":1,"mod":"prof","op":"embedding","dir":"bprop","args":[
              {"name":"indices","role":"in","type":"tensor","shape":[32768],"dtype":"int64"},
              {"name":"dout","role":"in","type":"tensor","shape":[32768,128],"dtype":"float32"},
              {"name":"dweight","role":"out","type":"tensor","shape":[100000,128],"dtype":"float32"}],
              "attrs":{"sorted":true}})",
               "I=(32768),E=(100000,128)", std::nullopt, 4194304, 33816576, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"embedding","dir":"bprop","args":[
              {"name":"indices","role":"in","type":"tensor","shape":[10],"dtype":"int32"},
              {"name":"dout","role":"in","type":"tensor","shape":[10,4],"dtype":"float16"},
              {"name":"dweight","role":"out","type":"tensor","shape":[3,4],"dtype":"float32"}]})",
               "I=(10),E=(3,4)", std::nullopt, 40, 168, Basis::kEstimated},
              {"aten::embedding, sizes = [[30528, 1024], [4, 128], [], [], []]",
               "I=(4,128),E=(30528,1024)", std::nullopt, 0, std::nullopt},
              {"aten::embedding_dense_backward, sizes = [[4, 128, 1024], [4, 128], [], [], []]",
               "T=[(4,128,1024),(4,128)]", std::nullopt, 524288, std::nullopt, Basis::kEstimated},
              {R"({"op":"aten::embedding_dense_backward","args":[
              {"shape":[10,4],"dtype":"float32"},{"shape":[10],"dtype":"int64"},{"value":3},
              {"value":-1},{"value":false}]})",
               "I=(10),E=(3,4)", std::nullopt, 40, 160 + 80 + 48, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
