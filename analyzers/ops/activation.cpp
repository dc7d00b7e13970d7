// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Activation functions whose formula takes more than one operation. ReLU is in elementwise.cpp. An
// operand `bias` means that the same kernel adds the bias, an output `dbias` that it sums the
// bias's gradient.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct ActivationCounting {
  std::string_view word;
  double forward, backward;
};

constexpr ActivationCounting kActivationCountings[] = {
    {"sigmoid", 4, 3},      // 1 / (1 + exp(-x)); g y (1 - y)
    {"tanh", 1, 3},         // g (1 - y^2)
    {"silu", 5, 9},         // x sigmoid(x); g s (1 + x (1 - s)) with s recomputed
    {"gelu", 5, 11},        // x / 2 (1 + erf(x c)); g (cdf + x pdf)
    {"relu6", 2, 3},        // two bounds; two comparisons and g
    {"hardtanh", 2, 3},     // likewise
    {"hardsigmoid", 4, 3},  // bounds of x / 6 + 1 / 2
    {"hardswish", 5, 6},    // x hardsigmoid(x)
    {"mish", 5, 14},        // x tanh(log(1 + exp(x)))
    {"elu", 4, 4},          // compare, a (exp(x) - 1)
    {"selu", 5, 5},         // scaled elu
    {"celu", 5, 5},         // elu of x / a
    {"softplus", 3, 4},     // log(1 + exp(x)); g sigmoid(x)
    {"softsign", 3, 5},     // x / (1 + |x|)
    {"logsigmoid", 7, 6},   // min(x, 0) - log(1 + exp(-|x|))
    {"softshrink", 3, 2},  {"hardshrink", 2, 2},
    {"tanhshrink", 2, 3},  {"prelu", 2, 4},  // compare, scale; both gradients
    {"rrelu", 2, 2},       {"glu", 5, 9},    // a sigmoid(b)
    {"swiglu", 6, 13},                       // a silu(b)
    {"geglu", 6, 15},                        // a gelu(b)
};
constexpr ActivationCounting kGeluTanh = {"gelu", 9, 18};
constexpr std::string_view kExact[] = {"sigmoid", "tanh", "silu", "gelu", "glu"};

bool gated(std::string_view name) { return name == "glu" || name == "swiglu" || name == "geglu"; }

OpFacts evaluate_activation(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  const std::string_view name = model_word(op);
  const bool backward = op.direction == Direction::kBprop;
  ActivationCounting count = kActivationCountings[0];
  for (const ActivationCounting& known : kActivationCountings) {
    if (known.word == name) count = known;
  }
  Basis basis = Basis::kEstimated;
  for (const std::string_view exact : kExact) {
    if (exact == name) basis = Basis::kExact;
  }
  if (name == "gelu" && word(op, "approximate") == "tanh") {
    count = kGeluTanh;
    basis = Basis::kEstimated;
  } else if (name == "gelu" && has_shapes_only(op) && !has_attr(op, "approximate")) {
    basis = Basis::kEstimated;  // the erf form, which is the default
  }
  const double each = backward ? count.backward : count.forward;
  const Tensor* result = output(op, std::size_t{0});
  double items = result == nullptr ? work_elements(op) : elements(result->shape);
  if (gated(name) && (backward || result == nullptr)) items /= 2;  // of the gated output
  const bool with_bias = input(op, "bias") != nullptr;
  const bool with_bias_gradient = output(op, "dbias") != nullptr;
  facts.params = main_params(op);
  facts.cost =
      cost((each + (with_bias ? 1 : 0) + (with_bias_gradient ? 1 : 0)) * items, traffic(op), basis);
  return facts;
}

void complete_activation(OpDesc& op) {
  const bool backward = op.direction == Direction::kBprop;
  if (!gated(model_word(op))) {
    complete_like_first(op);
    return;
  }
  // Assumes that the last dimension is halved; others are rare, and only the shape would differ.
  const Tensor* x = input_or(op, "x", backward ? 1 : 0);
  if (x == nullptr || x->shape.empty()) return;
  Shape shape = x->shape;
  const DType dtype = x->dtype;
  if (!backward) shape.back() /= 2;
  add_output(op, backward ? "dx" : "y", std::move(shape), dtype);
}

}  // namespace

void register_activation(Registry& registry);
void register_activation(Registry& registry) {
  registry.add({
      .name = "activation",
      .formulas =
          {
              {"sigmoid", "4E", "3E: g·y·(1-y)"},
              {"tanh", "E", "3E: g·(1-y²)"},
              {"silu", "5E", "9E"},
              {"gelu", "erf form 5E: x·0.5·(1+erf(x·c)); attr `approximate`=tanh: 9E",
               "11E; tanh form 18E", "in + out",
               "exact; tanh form estimated: implementations differ in the terms they reuse"},
              {"glu", "5E: a·sigmoid(b), E of the output", "9E, E of the output"},
              {"swiglu", "6E", "13E", "in + out", "estimated"},
              {"geglu", "6E", "15E", "in + out", "estimated"},
              {"relu6 hardtanh", "2E", "3E", "in + out", "estimated"},
              {"hardsigmoid", "4E", "3E", "in + out", "estimated"},
              {"hardswish", "5E", "6E", "in + out", "estimated"},
              {"mish", "5E", "14E", "in + out", "estimated"},
              {"elu", "4E", "4E", "in + out", "estimated"},
              {"selu celu", "5E", "5E", "in + out", "estimated"},
              {"softplus", "3E", "4E", "in + out", "estimated"},
              {"softsign", "3E", "5E", "in + out", "estimated"},
              {"logsigmoid", "7E", "6E", "in + out", "estimated"},
              {"softshrink", "3E", "2E", "in + out", "estimated"},
              {"hardshrink rrelu", "2E", "2E", "in + out", "estimated"},
              {"tanhshrink", "2E", "3E", "in + out", "estimated"},
              {"prelu", "2E", "4E", "in + out", "estimated"},
          },
      .notes = "E: elements of the first output. With an operand `bias`: + E, also backward (the "
               "bias is added again); with an output `dbias` (summed by the same kernel): + E.",
      .evaluate = evaluate_activation,
      .complete = complete_activation,
      .no_product = true,
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
              {"aten::gelu_backward, sizes = [[4, 128, 4096], [4, 128, 4096], []]",
               "T=(4,128,4096)", std::nullopt, 23068672, 12582912, Basis::kEstimated,
               DType::kFloat16},
              {"aten::glu, sizes = [[8, 16], []]", "T=(8,16)", std::nullopt, 320, 2 * (128 + 64),
               Basis::kExact, DType::kBFloat16},
              {"aten::glu_backward, sizes = [[8, 8], [8, 16], []]", "T=(8,8)", std::nullopt, 576,
               2 * (64 + 128 + 128), Basis::kExact, DType::kBFloat16},
              {"aten::hardswish_, sizes = [[8, 16]]", "T=(8,16)", std::nullopt, 640, 1024,
               Basis::kEstimated, DType::kFloat32},
          },
  });
}

}  // namespace prof::ops
