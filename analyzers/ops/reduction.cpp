// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, and their gradients, which spread a value over what was reduced.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Counting {
  std::string_view word;
  double of_input, of_output;
};

constexpr Counting kCountings[] = {
    {"sum", 1, 0},  {"amax", 1, 0}, {"amin", 1, 0},
    {"prod", 1, 0}, {"mean", 1, 1}, {"norm", 2, 1},
    {"any", 1, 0},  {"all", 1, 0},  {"multi_tensor_l2norm", 2, 1},
};

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* in = input(op, std::size_t{0});
  if (in == nullptr) return facts;
  const std::string_view name = canonical_word(op.op);
  Counting count = kCountings[0];
  for (const Counting& known : kCountings) {
    if (known.word == name) count = known;
  }
  const double from = input_elements(op);
  const double to = output(op, std::size_t{0}) == nullptr ? 1 : output_elements(op);
  facts.cost.bytes = moved_bytes(op);
  facts.cost.basis = Basis::kExact;
  if (to <= from) {  // also in a backward pass: the gradient of a broadcast is a reduction
    facts.cost.flops = count.of_input * from + count.of_output * to;
  } else if (name == "sum") {
    facts.cost.flops = 0;
  } else if (name == "mean") {
    facts.cost.flops = to;
  } else {
    facts.cost.basis = Basis::kUnknown;
  }
  return facts;
}

}  // namespace

void register_reduction(Registry& registry);
void register_reduction(Registry& registry) {
  registry.add({
      .name = "reduction",
      .words = {"sum", "amax", "amin", "prod", "mean", "norm", "multi_tensor_l2norm", "any", "all"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"sum","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,5],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[5],"dtype":"float16"}]})",
               "T=(4,5)", std::nullopt, 20, 50},
              {R"({"v":1,"mod":"prof","op":"sum","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[32768,1],"dtype":"float16"},
              {"name":"db","role":"out","type":"tensor","shape":[1],"dtype":"float16"}]})",
               "T=(32768,1)", std::nullopt, 32768, 65538},
              {R"({"v":1,"mod":"prof","op":"sum","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[10],"dtype":"float32"}]})",
               "T=()", std::nullopt, 0, 44},
              {R"({"v":1,"mod":"prof","op":"mean","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,5],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=(4,5)", std::nullopt, 21, 84},
              {R"({"v":1,"mod":"prof","op":"mean","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[20],"dtype":"float32"}]})",
               "T=()", std::nullopt, 20, 84},
              {R"({"v":1,"mod":"prof","op":"norm","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,5],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=(4,5)", std::nullopt, 41, 84},
          },
  });
}

}  // namespace prof::ops
