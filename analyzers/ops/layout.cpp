// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Moving elements without changing them: putting tensors together, taking them apart, other orders.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// A side without tensors has the same elements as the other one.
std::optional<double> both_sides(const OpDesc& op) {
  const bool has_inputs = input(op, std::size_t{0}) != nullptr;
  const bool has_outputs = output(op, std::size_t{0}) != nullptr;
  const auto bytes = has_inputs ? input_bytes(op) : output_bytes(op);
  return sum(bytes, has_inputs && has_outputs ? output_bytes(op) : bytes);
}

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  facts.cost = movement(both_sides(op));
  return facts;
}

}  // namespace

void register_layout(Registry& registry);
void register_layout(Registry& registry) {
  registry.add({
      .name = "layout",
      .words = {"cat", "stack", "split", "chunk", "slice", "narrow", "transpose", "permute",
                "contiguous", "reshape", "flip", "roll", "pad", "concat"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"cat","dir":"fprop","args":[
              {"name":"x0","role":"in","type":"tensor","shape":[32768,128],"dtype":"float32"},
              {"name":"x1","role":"in","type":"tensor","shape":[32768,351],"dtype":"float32"},
              {"name":"pad","role":"in","type":"tensor","shape":[32768,1],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[32768,480],"dtype":"float32"}]})",
               "T=[(32768,128),(32768,351),(32768,1)]", std::nullopt, 0, 125829120},
              {R"({"v":1,"mod":"prof","op":"cat","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[8,6],"dtype":"float16"},
              {"name":"dx0","role":"out","type":"tensor","shape":[8,4],"dtype":"float16"},
              {"name":"dx1","role":"out","type":"tensor","shape":[8,2],"dtype":"float16"}]})",
               "T=(8,6)", std::nullopt, 0, 192},
              {R"({"v":1,"mod":"prof","op":"stack","dir":"fprop","args":[
              {"name":"x0","role":"in","type":"tensor","shape":[8],"dtype":"float16"},
              {"name":"x1","role":"in","type":"tensor","shape":[8],"dtype":"float16"}]})",
               "T=[(8),(8)]", std::nullopt, 0, 64},
          },
  });
}

}  // namespace prof::ops
