// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Transformer Engine's products, and its layers that begin with a norm. Its other layers and ops
// are like those of PyTorch (library_ops.inc).
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// transformer_engine::DType.
constexpr DType kEngineTypes[] = {DType::kUint8,      DType::kInt32,     DType::kInt64,
                                  DType::kFloat32,    DType::kFloat16,   DType::kBFloat16,
                                  DType::kFloat8E4M3, DType::kFloat8E5M2};

/// As cuBLAS counts: y (N,M) = op(b) op(a).
std::optional<GemmShape> product_of(const OpDesc& op) {
  const Tensor* a = input(op, "a");
  const Tensor* b = input(op, "b");
  const Tensor* y = output(op, "y");
  if (a == nullptr || b == nullptr || y == nullptr) return std::nullopt;
  if (a->shape.size() != 2 || b->shape.size() != 2 || y->shape.size() != 2) return std::nullopt;
  const std::int64_t m = y->shape[1], n = y->shape[0];
  // Without the values that state which factor is transposed, the sizes decide.
  for (const bool a_turned : {true, false}) {
    for (const bool b_turned : {false, true}) {
      if (has_attr(op, "transposed_a") && nonzero(op, "transposed_a") != a_turned) continue;
      if (has_attr(op, "transposed_b") && nonzero(op, "transposed_b") != b_turned) continue;
      const std::int64_t k = a->shape[a_turned ? 1 : 0];
      if (a->shape[a_turned ? 0 : 1] == m && b->shape[b_turned ? 1 : 0] == n &&
          b->shape[b_turned ? 0 : 1] == k) {
        return GemmShape{m, n, k, 1};
      }
    }
  }
  return std::nullopt;
}

OpFacts evaluate_engine_product(const OpDesc& op) {
  OpFacts facts;
  facts.gemm = product_of(op);
  if (!facts.gemm) return facts;
  facts.params = gemm_params(*facts.gemm, false);
  const auto type = number(op, "type_a").value_or(-1);
  if (type >= 0 && type < std::size(kEngineTypes))
    facts.dtype = kEngineTypes[static_cast<std::size_t>(type)];
  double flops = gemm_flops(*facts.gemm);
  const Tensor* bias = input(op, "bias");
  const bool has_bias = bias != nullptr && elements(bias->shape) > 0;
  const double results = static_cast<double>(facts.gemm->m) * static_cast<double>(facts.gemm->n);
  // For a gradient, this is the gradient of the bias: the sum over b's rows.
  if (has_bias) flops += nonzero(op, "is_gradient") ? elements(input(op, "b")->shape) : results;
  if (nonzero(op, "accumulates")) flops += results;
  const Tensor* inner = input(op, "inner");
  const bool has_gelu = inner != nullptr && elements(inner->shape) > 0;
  const auto read = sum(tensor_bytes(*input(op, "a")), tensor_bytes(*input(op, "b")));
  const auto written = whole_bytes(*output(op, "y"));
  const Traffic moved{nonzero(op, "accumulates") ? sum(read, written) : read, written};
  // Only the products: the GELU depends on the implementation.
  facts.cost = cost(flops, moved, has_gelu ? Basis::kEstimated : Basis::kExact);
  return facts;
}

std::optional<GemmShape> linear_of(const Tensor* x, const Tensor* weight) {
  if (x == nullptr || weight == nullptr || x->shape.size() < 2 || weight->shape.size() != 2) {
    return std::nullopt;
  }
  const auto tokens = rows(x->shape);
  if (!tokens || x->shape.back() != weight->shape[1]) return std::nullopt;
  return GemmShape{weight->shape[0], *tokens, weight->shape[1], 1};
}

/// Without a bias it is an RMS norm, as models have it.
double norm_flops(const OpDesc& op) {
  const bool backward = op.direction == Direction::kBprop;
  const bool is_rms = input(op, "ln_bias") == nullptr;
  const double each = backward ? (is_rms ? 10 : 14) : (is_rms ? 4 : 8);
  return each * elements(input(op, "x")->shape);
}

OpFacts evaluate_norm_linear(const OpDesc& op) {
  OpFacts facts;
  const auto product = linear_of(input(op, "x"), input(op, "weight"));
  if (!product) return facts;
  const bool backward = op.direction == Direction::kBprop;
  const double results = static_cast<double>(product->m) * static_cast<double>(product->n);
  const double bias = input(op, "bias") != nullptr ? results : 0;
  if (!backward) facts.gemm = product;
  facts.params = backward ? main_params(op) : gemm_params(*product, false);
  facts.cost = cost((backward ? 2 : 1) * gemm_flops(*product) + bias + norm_flops(op),
                    backward ? Traffic{} : traffic(op), Basis::kEstimated);
  return facts;
}

void complete_norm_linear(OpDesc& op) {
  const Tensor* x = input(op, "x");
  const auto product = linear_of(x, input(op, "weight"));
  if (!product || op.direction == Direction::kBprop) return;
  Shape shape = x->shape;
  const DType dtype = x->dtype;
  shape.back() = product->m;
  add_output(op, "y", std::move(shape), dtype);
}

OpFacts evaluate_norm_mlp(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, "x");
  const Tensor* down = input(op, "weight2");
  const auto up = linear_of(x, input(op, "weight1"));
  if (!up || down == nullptr || down->shape.size() != 2) return facts;
  const std::int64_t inner = down->shape[1];
  if (up->m != inner && (up->m / 2 != inner || up->m % 2 != 0)) return facts;  // gated or not
  const GemmShape second{down->shape[0], up->n, inner, 1};
  const bool backward = op.direction == Direction::kBprop;
  facts.params = main_params(op);
  facts.cost = cost((backward ? 2 : 1) * (gemm_flops(*up) + gemm_flops(second)) + norm_flops(op),
                    {}, Basis::kEstimated);
  return facts;
}

}  // namespace

void register_transformer_engine(Registry& registry);
void register_transformer_engine(Registry& registry) {
  registry.add({
      .name = "te_gemm",
      .formulas = {{"te_gemm",
                    "2MNK; with a bias + MN, or its gradient the elements of b; attr "
                    "`accumulates`: + MN",
                    "-", "a and b in, y out; `accumulates`: y in, too",
                    "exact; estimated with a GELU, which is left out"}},
      .notes = "y (N,M) = op(b)·op(a), as cuBLAS has it; attrs `transposed_a`, `transposed_b`.",
      .evaluate = evaluate_engine_product,
      .is_product = true,
      .examples =
          {
              // x (64,128) and W (256,128), in 8 bits, with a bias.
              {R"({"op":"tex_ts::te_gemm_ts","args":[{"shape":[256,128],"dtype":"uint8"},
               {"shape":[1],"dtype":"float32"},{"value":0},{"value":6},{"value":1},
               {"shape":[64,128],"dtype":"uint8"},{"shape":[1],"dtype":"float32"},{"value":0},
               {"value":6},{"value":0},{"shape":[64,256],"dtype":"bfloat16"},
               {"shape":[0],"dtype":"float32"},{"value":5},{"shape":[0],"dtype":"float32"},
               {"shape":[256],"dtype":"bfloat16"},{"value":5},{"shape":[0],"dtype":"bfloat16"},
               {"value":0},{"shape":[33554432],"dtype":"uint8"},{"value":33554432},{"value":0},
               {"value":1}]})",
               "M=256,N=64,K=128", GemmShape{256, 64, 128, 1}, 2.0 * 256 * 64 * 128 + 256 * 64,
               256 * 128 + 64 * 128 + 2.0 * 64 * 256},
              // Its weight gradient: dy (64,256) and x, added to what is there.
              {R"({"op":"tex_ts::te_gemm_ts","args":[{"shape":[64,128],"dtype":"bfloat16"},
               {"shape":[0],"dtype":"float32"},{"value":-1},{"value":5},{"value":0},
               {"shape":[64,256],"dtype":"bfloat16"},{"shape":[0],"dtype":"float32"},{"value":-1},
               {"value":5},{"value":1},{"shape":[256,128],"dtype":"float32"},
               {"shape":[0],"dtype":"float32"},{"value":3},{"shape":[0],"dtype":"float32"},
               {"shape":[0],"dtype":"bfloat16"},{"value":5},{"shape":[0],"dtype":"bfloat16"},
               {"value":1},{"shape":[33554432],"dtype":"uint8"},{"value":33554432},{"value":1},
               {"value":1}]})",
               "M=128,N=256,K=64", GemmShape{128, 256, 64, 1}, 2.0 * 256 * 64 * 128 + 256 * 128,
               2.0 * (64 * 128 + 64 * 256) + 8.0 * 256 * 128},
          },
  });
  registry.add({
      .name = "norm_linear",
      .formulas = {{"layer_norm_linear",
                    "2MNK, the norm (8E; without a bias of its own 4E), with a bias + MN",
                    "4MNK, the norm's gradients (14E or 10E), with a bias + MN",
                    "in + out; backward -", "estimated"}},
      .notes = "x (tokens, in), the norm's weight and bias, weight (out, in). E: elements of x.",
      .evaluate = evaluate_norm_linear,
      .complete = complete_norm_linear,
      .is_product = true,
      .examples =
          {
              {R"({"op":"_LayerNormLinear","args":[{"shape":[64,2,128],"dtype":"bfloat16"},
               {"shape":[128],"dtype":"bfloat16"},{"shape":[128],"dtype":"bfloat16"},
               {"shape":[384,128],"dtype":"bfloat16"},{"shape":[384],"dtype":"bfloat16"},
               {"value":1e-5},null,{"value":false}]})",
               "M=384,N=128,K=128", GemmShape{384, 128, 128, 1},
               2.0 * 384 * 128 * 128 + 384 * 128 + 8.0 * 128 * 128,
               2.0 * (128 * 128 + 2 * 128 + 384 * 128 + 384 + 128 * 384), Basis::kEstimated},
              // A copy of the weight in 8 bits between it and its bias; no bias of the norm.
              {R"({"op":"_LayerNormLinear","dir":"bprop","args":[
               {"shape":[64,128],"dtype":"bfloat16"},{"shape":[128],"dtype":"bfloat16"},null,
               {"shape":[384,128],"dtype":"bfloat16"},{"shape":[384,128],"dtype":"uint8"},
               {"shape":[384],"dtype":"bfloat16"},{"value":true},{"value":1e-5}]})",
               "T=(64,128)", std::nullopt, 4.0 * 384 * 64 * 128 + 384 * 64 + 10.0 * 64 * 128,
               std::nullopt, Basis::kEstimated},
          },
  });
  registry.add({
      .name = "norm_mlp",
      .formulas = {{"layer_norm_mlp",
                    "the norm (8E; without a bias of its own 4E) and two products",
                    "the norm's gradients (14E or 10E) and four products", "-", "estimated"}},
      .notes = "weight1 (U, in), weight2 (out, I): 2·tokens·(U·in + I·out). U = 2I where a gate "
               "multiplies. The activation and biases are left out.",
      .evaluate = evaluate_norm_mlp,
      .is_product = true,
      .examples = {{R"({"op":"_LayerNormMLP","args":[{"shape":[64,128],"dtype":"bfloat16"},
                    {"shape":[128],"dtype":"bfloat16"},null,{"shape":[512,128],"dtype":"bfloat16"},
                    null,{"shape":[128,256],"dtype":"bfloat16"},null,{"value":1e-5}]})",
                    "T=(64,128)", std::nullopt, 2.0 * 64 * 128 * (512 + 256) + 4.0 * 64 * 128,
                    std::nullopt, Basis::kEstimated}},
  });
}

}  // namespace prof::ops
