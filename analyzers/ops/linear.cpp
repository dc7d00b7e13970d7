// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear layer y = x W^T and its gradients. The bias is usually a separate op (bias.cpp); a bias
// operand or an `epilogue` attribute means that this op's kernel adds it.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

std::optional<GemmShape> forward_shape(const OpDesc& op) {
  const Tensor* x = input_or(op, "x", 0);
  const Tensor* weight = input_or(op, "weight", 1);
  if (x == nullptr || weight == nullptr || x->shape.empty() || weight->shape.size() != 2) {
    return std::nullopt;
  }
  const auto tokens = rows(x->shape);
  if (!tokens || x->shape.back() != weight->shape[1]) return std::nullopt;
  return GemmShape{weight->shape[0], *tokens, weight->shape[1], 1};
}

std::optional<GemmShape> data_shape(const OpDesc& op) {
  const Tensor* dy = input_or(op, "dy", 0);
  const Tensor* weight = input_or(op, "weight", 1);
  if (dy == nullptr || weight == nullptr || dy->shape.empty() || weight->shape.size() != 2) {
    return std::nullopt;
  }
  const auto tokens = rows(dy->shape);
  if (!tokens || dy->shape.back() != weight->shape[0]) return std::nullopt;
  return GemmShape{weight->shape[1], *tokens, weight->shape[0], 1};
}

std::optional<GemmShape> weight_shape(const OpDesc& op) {
  const Tensor* dy = input_or(op, "dy", 0);
  const Tensor* x = input_or(op, "x", 1);
  if (dy == nullptr || x == nullptr || dy->shape.empty() || x->shape.empty()) return std::nullopt;
  const auto tokens = rows(dy->shape);
  if (!tokens || tokens != rows(x->shape)) return std::nullopt;
  return GemmShape{x->shape.back(), dy->shape.back(), *tokens, 1};
}

std::optional<GemmShape> bias_shape(const OpDesc& op) {
  const Tensor* dy = input_or(op, "dy", 0);
  if (dy == nullptr || dy->shape.empty()) return std::nullopt;
  const auto tokens = rows(dy->shape);
  if (!tokens) return std::nullopt;
  return GemmShape{dy->shape.back(), *tokens, std::nullopt, 1};
}

std::optional<GemmShape> shape(const OpDesc& op) {
  if (op.direction != Direction::kBprop) return forward_shape(op);
  switch (op.part) {
    case Part::kData:
      return data_shape(op);
    case Part::kWeight:
      return weight_shape(op);
    case Part::kBias:
      return bias_shape(op);
    case Part::kNone:
      break;
  }
  return std::nullopt;  // shapes alone do not show which product it is
}

/// True if the inner sizes of the two factors differ.
bool inner_sizes_differ(const OpDesc& op) {
  const bool backward = op.direction == Direction::kBprop;
  if (backward && op.part != Part::kData && op.part != Part::kWeight) return false;
  const Tensor* a = input_or(op, backward ? "dy" : "x", 0);
  const Tensor* b = input_or(op, op.part == Part::kWeight ? "x" : "weight", 1);
  if (a == nullptr || b == nullptr || a->shape.empty()) return false;
  if (op.part == Part::kWeight && backward) {
    const auto first = rows(a->shape);
    const auto second = rows(b->shape);
    return first && second && *first != *second;
  }
  return b->shape.size() == 2 && a->shape.back() != b->shape[backward ? 0 : 1];
}

OpFacts evaluate_linear(const OpDesc& op) {
  OpFacts facts;
  facts.gemm = shape(op);
  if (!facts.gemm) {
    facts.claims.inner_sizes_differ = inner_sizes_differ(op);
    return facts;
  }
  facts.params = gemm_params(*facts.gemm, false);
  const Traffic moved = traffic(op);
  const double outputs = static_cast<double>(facts.gemm->m) * static_cast<double>(facts.gemm->n);
  if (!facts.gemm->k) {
    facts.cost = cost(outputs, moved);
    return facts;
  }
  Basis basis = Basis::kExact;
  double flops = gemm_flops(*facts.gemm, main_dtype(op));
  const std::string_view epilogue = word(op, "epilogue");
  const auto has = [&](std::string_view what) { return epilogue.find(what) != epilogue.npos; };
  if (input(op, "bias") != nullptr || has("bias")) flops += outputs;
  if (has("relu")) flops += outputs;
  if (has("gelu")) {  // the tanh form, as cuBLASLt computes it; "dgelu" is its gradient
    flops += (has("dgelu") ? 18 : 9) * outputs;
    basis = Basis::kEstimated;
  }
  facts.cost = cost(flops, moved, basis);
  return facts;
}

/// y, or the gradient that `part` names.
void complete_linear(OpDesc& op) {
  const auto gemm = shape(op);
  const Tensor* first = input_or(op, op.direction == Direction::kBprop ? "dy" : "x", 0);
  if (!gemm || first == nullptr) return;
  const DType dtype = first->dtype;
  Shape result = first->shape;
  if (op.direction == Direction::kBprop && op.part == Part::kWeight) {
    result = {gemm->n, gemm->m};
  } else {
    result.back() = gemm->m;
  }
  if (op.part == Part::kBias) result = {gemm->m};
  add_output(op, "y", std::move(result), dtype);
}

/// The gradients of a forward op.
std::optional<GradientOps> linear_gradients(const OpDesc& op) {
  const Tensor* x = input_or(op, "x", 0);
  const Tensor* weight = input_or(op, "weight", 1);
  OpDesc whole = op;
  if (output(op, std::size_t{0}) == nullptr) complete_linear(whole);
  const Tensor* y = output(whole, std::size_t{0});
  if (!forward_shape(op) || y == nullptr) return std::nullopt;
  GradientOps made{.is_linear = true};
  const auto add = [&](Part part, const Tensor* other, const Shape& result) {
    OpDesc one;
    one.op = "linear";
    one.direction = Direction::kBprop;
    one.part = part;
    one.tensors.push_back({"dy", Tensor::Role::kIn, y->dtype, y->shape});
    if (other != nullptr) one.tensors.push_back(*other);
    if (other != nullptr) one.tensors.back().name = part == Part::kData ? "weight" : "x";
    one.tensors.push_back({"gradient", Tensor::Role::kOut, y->dtype, result});
    made.of[static_cast<std::size_t>(part)] = std::move(one);
  };
  add(Part::kData, weight, x->shape);
  add(Part::kWeight, x, weight->shape);
  if (const Tensor* bias = input_or(op, "bias", 2)) add(Part::kBias, nullptr, bias->shape);
  return made;
}

}  // namespace

void register_linear(Registry& registry);
void register_linear(Registry& registry) {
  registry.add({
      .name = "linear",
      .formulas =
          {
              {"linear",
               "2·M·N·K; operand `bias` or `epilogue` with `bias`, `relu`: + M·N each; `gelu`: + "
               "9·M·N",
               "2·M·N·K for each of data and weight gradient, with its own M, N, K; bias gradient "
               "M·N; `epilogue` with `dgelu`: + 18·M·N",
               "in + out: (M·K + K·N + M·N)·s", "exact; gelu estimated"},
          },
      .notes = "M, N and K are cuBLAS's, column-major: see conventions.md. A backward op's "
               "`part` states which gradient it computes.",
      .evaluate = evaluate_linear,
      .complete = complete_linear,
      .gradients = linear_gradients,
      .is_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"linear","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768,13],"dtype":"float16"},
              {"name":"weight","role":"in","type":"tensor","shape":[512,13],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[32768,512],"dtype":"float16"}]})",
               "M=512,N=32768,K=13", GemmShape{512, 32768, 13, 1}, 436207616, 34419712},
              {R"({"v":1,"mod":"prof","op":"linear","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8,4,16],"dtype":"float32"},
              {"name":"weight","role":"in","type":"tensor","shape":[10,16],"dtype":"float32"},
              {"name":"bias","role":"in","type":"tensor","shape":[10],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[8,4,10],"dtype":"float32"}],
              "attrs":{"epilogue":"bias_relu"}})",
               "M=10,N=32,K=16", GemmShape{10, 32, 16, 1}, 10240 + 320 + 320,
               4 * (512 + 160 + 10 + 320)},
              {R"({"v":1,"mod":"prof","op":"linear","dir":"bprop","part":"data","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[32768,1],"dtype":"float16"},
              {"name":"weight","role":"in","type":"tensor","shape":[1,256],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[32768,256],"dtype":"float16"}]})",
               "M=256,N=32768,K=1", GemmShape{256, 32768, 1, 1}, 16777216, 16843264},
              {R"({"v":1,"mod":"prof","op":"linear","dir":"bprop","part":"data","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[64,8],"dtype":"bfloat16"},
              {"name":"weight","role":"in","type":"tensor","shape":[8,32],"dtype":"bfloat16"},
              {"name":"aux","role":"in","type":"tensor","shape":[64,32],"dtype":"bfloat16"},
              {"name":"dx","role":"out","type":"tensor","shape":[64,32],"dtype":"bfloat16"}],
              "attrs":{"epilogue":"dgelu"}})",
               "M=32,N=64,K=8", GemmShape{32, 64, 8, 1}, 32768 + 18 * 2048,
               2 * (512 + 256 + 2 * 2048), Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"linear","dir":"bprop","part":"weight","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[32768,512],"dtype":"float16"},
              {"name":"x","role":"in","type":"tensor","shape":[32768,13],"dtype":"float16"},
              {"name":"dweight","role":"out","type":"tensor","shape":[512,13],"dtype":"float16"}]})",
               "M=13,N=512,K=32768", GemmShape{13, 512, 32768, 1}, 436207616, 34419712},
              {R"({"v":1,"mod":"prof","op":"linear","dir":"bprop","part":"bias","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[64,10],"dtype":"float16"},
              {"name":"dbias","role":"out","type":"tensor","shape":[10],"dtype":"float16"}]})",
               "M=10,N=64", GemmShape{10, 64, std::nullopt, 1}, 640, 1300},
              {"aten::linear, sizes = [[4, 128, 1024], [512, 1024], [512]]", "M=512,N=512,K=1024",
               GemmShape{512, 512, 1024, 1}, 2.0 * 512 * 512 * 1024 + 512 * 512,
               2.0 * (512 * 1024 + 512 * 1024 + 512 + 512 * 512), Basis::kExact, DType::kFloat16},
              // Shapes that do not fit together: no number is better than a wrong one.
              {R"({"v":1,"mod":"prof","op":"linear","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8,16],"dtype":"float16"},
              {"name":"weight","role":"in","type":"tensor","shape":[10,15],"dtype":"float16"}]})",
               "T=[(8,16),(10,15)]", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
