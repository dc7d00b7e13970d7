// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Gather and scatter: picking elements by index, and their gradient. Only the elements that are
// picked count, not the whole table.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

bool is_index(const Tensor& tensor) { return tensor.name.starts_with("ind"); }

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const bool backward = op.direction == Direction::kBprop;
  // What moves: forward the picked elements, backward the gradient that is put back.
  const Tensor* moved = backward ? nullptr : output(op, std::size_t{0});
  double index_bytes = 0;
  bool known = true;
  for (const Tensor& tensor : op.tensors) {
    if (!is_input(tensor)) continue;
    if (is_index(tensor)) {
      const auto bytes = tensor_bytes(tensor);
      known = known && bytes.has_value();
      index_bytes += bytes.value_or(0);
    } else if (backward && moved == nullptr) {
      moved = &tensor;
    }
  }
  if (moved == nullptr) return facts;
  const double count = elements(moved->shape);
  const auto moved_size = tensor_bytes(*moved);
  facts.cost.flops = backward ? count : 0;
  if (known && moved_size) facts.cost.bytes = index_bytes + 2 * *moved_size;
  facts.cost.basis = backward ? Basis::kEstimated : Basis::kExact;
  return facts;
}

}  // namespace

void register_index(Registry& registry);
void register_index(Registry& registry) {
  registry.add({
      .name = "index",
      .words = {"index", "gather", "index_select", "take", "scatter", "scatter_add", "index_add",
                "index_put", "masked_select"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"index","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768,27,27],"dtype":"float32"},
              {"name":"indices","role":"in","type":"tensor","shape":[351],"dtype":"int32"},
              {"name":"out","role":"out","type":"tensor","shape":[32768,351],"dtype":"float32"}]})",
               "T=[(32768,27,27),(351)]", std::nullopt, 0, 92013948},
              {R"({"v":1,"mod":"prof","op":"index","dir":"bprop","args":[
              {"name":"dout","role":"in","type":"tensor","shape":[32768,351],"dtype":"float32"},
              {"name":"indices","role":"in","type":"tensor","shape":[351],"dtype":"int32"},
              {"name":"dx","role":"out","type":"tensor","shape":[32768,27,27],"dtype":"float32"}]})",
               "T=[(32768,351),(351)]", std::nullopt, 11501568, 92013948, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
