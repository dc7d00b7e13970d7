// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Embedding lookup and its gradient. Rows that are looked up count, not the table. An operand
// `position_weight` (positions, width) says that the same kernel adds a row for each position.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const bool backward = op.direction == Direction::kBprop;
  const Tensor* indices = input_or(op, "indices", 0);
  const Tensor* table = backward ? output(op, "dweight") : input_or(op, "weight", 1);
  if (backward && table == nullptr) table = output(op, std::size_t{0});
  const Tensor* dout = backward ? input_or(op, "dout", 1) : nullptr;
  if (indices == nullptr || table == nullptr || table->shape.size() != 2) return facts;
  facts.params = "I=" + text(indices->shape) + ",E=" + text(table->shape);
  facts.dtype = table->dtype;
  const double lookups = elements(indices->shape);
  const auto vocabulary = static_cast<double>(table->shape[0]);
  const auto width = static_cast<double>(table->shape[1]);
  const auto index_bytes = tensor_bytes(*indices);
  const auto size = size_bytes(table->dtype);
  if (!backward) {
    facts.cost.flops = 0;
    facts.cost.basis = Basis::kExact;
    if (index_bytes && size) {
      facts.cost.bytes = *index_bytes + 2 * lookups * width * static_cast<double>(*size);
    }
    if (const Tensor* positions = input(op, "position_weight"); positions != nullptr) {
      facts.cost.flops = lookups * width;
      facts.cost.bytes = sum(facts.cost.bytes, tensor_bytes(*positions));
    }
    return facts;
  }
  facts.cost.flops = lookups * width;
  facts.cost.basis = Basis::kEstimated;  // how many rows repeat is not in the shapes
  if (index_bytes && size && dout != nullptr) {
    const double written_rows = lookups < vocabulary ? lookups : vocabulary;
    facts.cost.bytes =
        sum(tensor_bytes(*dout), *index_bytes + written_rows * width * static_cast<double>(*size));
  }
  return facts;
}

}  // namespace

void register_embedding(Registry& registry);
void register_embedding(Registry& registry) {
  registry.add({
      .name = "embedding",
      .words = {"embedding", "embedding_dense_backward"},
      .evaluate = evaluate,
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
          },
  });
}

}  // namespace prof::ops
