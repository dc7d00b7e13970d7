// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Activation functions whose formula is longer than one operation. ReLU is in elementwise.cpp. An
// operand `bias` says that the bias is added in the same kernel, an output `dbias` that its
// gradient is summed there.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Counting {
  std::string_view word;
  double forward, backward;
};

constexpr Counting kCountings[] = {
    {"sigmoid", 4, 3},  // 1 / (1 + exp(-x)); g y (1 - y)
    {"tanh", 1, 3},     // g (1 - y^2)
    {"silu", 5, 9},     // x sigmoid(x); g s (1 + x (1 - s)) with s computed anew
    {"gelu", 5, 11},    // x / 2 (1 + erf(x c)); g (cdf + x pdf)
};
constexpr Counting kGeluTanh = {"gelu", 9, 18};

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  const std::string_view name = canonical_word(op.op);
  Counting count = kCountings[0];
  for (const Counting& known : kCountings) {
    if (known.word == name) count = known;
  }
  facts.cost.basis = Basis::kExact;
  if (name == "gelu" && word(op, "approximate") == "tanh") {
    count = kGeluTanh;
    facts.cost.basis = Basis::kEstimated;
  }
  const double each = op.direction == Direction::kBprop ? count.backward : count.forward;
  const Tensor* result = output(op, std::size_t{0});
  const double items = result == nullptr ? work_elements(op) : elements(result->shape);
  const bool with_bias = input(op, "bias") != nullptr;
  const bool with_bias_gradient = output(op, "dbias") != nullptr;
  facts.params = main_params(op);
  facts.cost.flops = (each + (with_bias ? 1 : 0) + (with_bias_gradient ? 1 : 0)) * items;
  facts.cost.bytes = moved_bytes(op);
  return facts;
}

}  // namespace

void register_activation(Registry& registry);
void register_activation(Registry& registry) {
  registry.add({
      .name = "activation",
      .words = {"sigmoid", "tanh", "silu", "gelu"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"sigmoid","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[10,4],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[10,4],"dtype":"float32"}]})",
               "T=(10,4)", std::nullopt, 160, 320},
              {R"({"v":1,"mod":"prof","op":"tanh","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[40],"dtype":"float32"},
              {"name":"y","role":"in","type":"tensor","shape":[40],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[40],"dtype":"float32"}]})",
               "T=(40)", std::nullopt, 120, 480},
              {R"({"v":1,"mod":"prof","op":"silu","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[40],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[40],"dtype":"float16"}]})",
               "T=(40)", std::nullopt, 200, 160},
              {R"({"v":1,"mod":"prof","op":"gelu","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[64,128],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[64,128],"dtype":"float16"}]})",
               "T=(64,128)", std::nullopt, 40960, 32768},
              {R"({"v":1,"mod":"prof","op":"gelu","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[64,128],"dtype":"float16"},
              {"name":"bias","role":"in","type":"tensor","shape":[128],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[64,128],"dtype":"float16"}]})",
               "T=(64,128)", std::nullopt, 49152, 33024},
              {R"({"v":1,"mod":"prof","op":"gelu","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[64,128],"dtype":"float16"},
              {"name":"x","role":"in","type":"tensor","shape":[64,128],"dtype":"float16"},
              {"name":"bias","role":"in","type":"tensor","shape":[128],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[64,128],"dtype":"float16"},
              {"name":"dbias","role":"out","type":"tensor","shape":[128],"dtype":"float16"}]})",
               "T=(64,128)", std::nullopt, 106496, 49664},
              {R"({"v":1,"mod":"prof","op":"gelu","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[64,128],"dtype":"float16"},
              {"name":"x","role":"in","type":"tensor","shape":[64,128],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[64,128],"dtype":"float16"}],
              "attrs":{"approximate":"tanh"}})",
               "T=(64,128)", std::nullopt, 147456, 49152, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
