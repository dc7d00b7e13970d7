// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops of engines that serve language models, besides products, attention and norms: positions,
// caches of keys and values, the choice of experts for tokens.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/promotion.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// q and k are rotated in place: by all of a head's elements, or as many as the table has.
OpFacts evaluate_rotary(const OpDesc& op) {
  OpFacts facts;
  const Tensor* q = input(op, "q");
  const Tensor* table = input(op, "cos_sin");
  const Tensor* positions = input(op, "positions");
  if (q == nullptr || table == nullptr || positions == nullptr || table->shape.empty()) {
    return facts;
  }
  const auto width = static_cast<double>(table->shape.back());
  const auto head = number(op, "head_size");
  const double part = head && *head > width ? width / *head : 1;
  double rotated = 0;
  std::optional<double> moved = 0;
  for (const Tensor* heads : {q, input(op, "k")}) {
    if (heads == nullptr) continue;
    rotated += part * elements(heads->shape);
    const auto bytes = tensor_bytes(*heads);
    moved = bytes ? sum(moved, part * *bytes) : std::nullopt;
  }
  const auto row =
      whole_bytes(Tensor{"row", Tensor::Role::kIn, table->dtype, {table->shape.back()}});
  const auto rows_read = row ? std::optional(*row * elements(positions->shape)) : std::nullopt;
  facts.params = main_params(op);
  facts.cost = cost(3 * rotated, {sum(sum(moved, rows_read), tensor_bytes(*positions)), moved},
                    Basis::kEstimated);
  facts.dtype = q->dtype;
  return facts;
}

/// New keys and values into their slots: of the cache itself only these are touched.
OpFacts evaluate_cache_update(const OpDesc& op) {
  OpFacts facts;
  const Tensor* k = input(op, "k");
  const Tensor* v = input(op, "v");
  if (k == nullptr || v == nullptr) return facts;
  const Tensor* slots = input(op, "slots");
  const Tensor* cache = input(op, "cache_k");
  const auto read = sum(tensor_bytes(*k), tensor_bytes(*v));
  const auto in_cache = [&](const Tensor& tensor) {
    return whole_bytes(Tensor{"slot", Tensor::Role::kOut,
                              cache == nullptr ? tensor.dtype : cache->dtype, tensor.shape});
  };
  facts.params = "T=" + text(k->shape);
  facts.cost = cost(
      0.0,
      {slots == nullptr ? read : sum(read, tensor_bytes(*slots)), sum(in_cache(*k), in_cache(*v))},
      Basis::kEstimated);
  facts.dtype = k->dtype;
  return facts;
}

OpFacts evaluate_routing(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, "x");
  if (x == nullptr) return facts;
  const std::string_view name = model_word(op);
  double flops = 0;
  if (name == "topk_softmax") flops = 5 * elements(x->shape);
  if (name == "moe_sum") {
    const Tensor* y = output(op, "y");
    if (y == nullptr) return facts;
    flops = elements(x->shape) - elements(y->shape);
  }
  facts.params = main_params(op);
  facts.cost = cost(flops, traffic(op), Basis::kEstimated);
  return facts;
}

/// The two products of an expert, for each token and expert that takes it. Which experts' weights
/// are read depends on the values.
OpFacts evaluate_experts(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, "x");
  const Tensor* up = input(op, "w1");
  const Tensor* down = input(op, "w2");
  const Tensor* experts = input(op, "experts");
  if (x == nullptr || up == nullptr || down == nullptr || experts == nullptr) return facts;
  if (x->shape.size() != 2 || up->shape.size() != 3 || down->shape.size() != 3) return facts;
  const std::int64_t hidden = x->shape[1], inner = down->shape[2];
  const bool is_gated = up->shape[1] / 2 == inner && up->shape[1] % 2 == 0;
  if (up->shape[2] != hidden || down->shape[1] != hidden || up->shape[0] != down->shape[0] ||
      (!is_gated && up->shape[1] != inner)) {
    return facts;  // weights of several to an element
  }
  facts.params = main_params(op);
  facts.dtype = x->dtype;
  // A table of all experts: only some are here, and no value shows which tokens take them.
  const auto is_table = [&](const Tensor& tensor) {
    return tensor.shape.size() == 1 && is_integer(tensor.dtype) && tensor.shape[0] > up->shape[0];
  };
  if (std::ranges::any_of(op.tensors, is_table)) return facts;
  const auto widths = static_cast<double>(up->shape[1]) + static_cast<double>(inner);
  facts.cost = cost(2 * elements(experts->shape) * static_cast<double>(hidden) * widths, {},
                    Basis::kEstimated);
  return facts;
}

}  // namespace

void register_serving(Registry& registry);
void register_serving(Registry& registry) {
  registry.add({
      .name = "rotary",
      .formulas = {{"rotary_embedding", "3E of the elements that are rotated", "-",
                    "q and k twice, positions, and a row of the table for each", "estimated"}},
      .notes = "With attr `head_size` above the table's width, only that part of each head is "
               "rotated.",
      .evaluate = evaluate_rotary,
      .no_product = true,
      .examples = {{R"({"op":"_C::rotary_embedding","args":[{"shape":[32],"dtype":"int64"},
                    {"shape":[32,4096],"dtype":"bfloat16"},{"shape":[32,1024],"dtype":"bfloat16"},
                    {"value":128},{"shape":[4096,64],"dtype":"bfloat16"},{"value":true}]})",
                    "T=(32)", std::nullopt, 3.0 * 32 * 2560, 2 * 2 * 32 * 2560 + 32 * 128 + 32 * 8,
                    Basis::kEstimated}},
  });
  registry.add({
      .name = "kv_cache",
      .formulas = {{"kv_cache_update", "0", "-",
                    "keys, values and slots in; as much of the cache out", "estimated"}},
      .evaluate = evaluate_cache_update,
      .no_product = true,
      .examples = {{R"({"op":"_C_cache_ops::reshape_and_cache_flash","args":[
                    {"shape":[32,8,64],"dtype":"bfloat16"},{"shape":[32,8,64],"dtype":"bfloat16"},
                    {"shape":[1024,16,8,64],"dtype":"float8_e4m3fn"},
                    {"shape":[1024,16,8,64],"dtype":"float8_e4m3fn"},
                    {"shape":[32],"dtype":"int64"},{"value":"fp8"},{"value":1.0},{"value":1.0}]})",
                    "T=(32,8,64)", std::nullopt, 0, 2 * 2 * 16384 + 256 + 2 * 16384,
                    Basis::kEstimated}},
  });
  registry.add({
      .name = "experts",
      .formulas =
          {
              {"topk_softmax", "5E of the scores", "-", "in + out", "estimated"},
              {"moe_align_block_size", "0", "-", "in + out", "estimated"},
              {"moe_sum", "in - out elements", "-", "in + out", "estimated"},
          },
      .evaluate = evaluate_routing,
      .no_product = true,
      .ordering = "topk_softmax moe_align_block_size",
      .examples =
          {
              {R"({"op":"_moe_C::topk_softmax","args":[{"shape":[32,8],"dtype":"float32"},
               {"shape":[32,8],"dtype":"int32"},{"shape":[32,8],"dtype":"int32"},
               {"shape":[32,128],"dtype":"float32"}]})",
               "T=(32,128)", std::nullopt, 5.0 * 32 * 128, 4 * (3 * 32 * 8 + 32 * 128),
               Basis::kEstimated},
              {R"({"op":"_moe_C::moe_align_block_size","args":[{"shape":[32,8],"dtype":"int32"},
               {"value":128},{"value":64},{"shape":[8192],"dtype":"int32"},
               {"shape":[128],"dtype":"int32"},{"shape":[1],"dtype":"int32"}]})",
               "T=(32,8)", std::nullopt, 0, 4 * (256 + 8192 + 128 + 1), Basis::kEstimated},
              {R"({"op":"_moe_C::moe_sum","args":[{"shape":[32,8,4096],"dtype":"bfloat16"},
               {"shape":[32,4096],"dtype":"bfloat16"}]})",
               "T=(32,8,4096)", std::nullopt, 7.0 * 32 * 4096, 2.0 * 9 * 32 * 4096,
               Basis::kEstimated},
          },
  });
  registry.add({
      .name = "fused_experts",
      .formulas = {{"fused_experts",
                    "2·A·H·(U + I): two products for each of A pairs of a token and an expert", "-",
                    "-", "estimated"}},
      .notes =
          "Weights (experts,U,H) and (experts,H,I); U = 2I where a gate multiplies. The gate "
          "itself is left out. All experts that take a token are taken to be on this GPU; with "
          "a table of those that are, FLOPs are unknown. How many experts' weights are read, "
          "and so bytes, is not stated.",
      .evaluate = evaluate_experts,
      .is_product = true,
      .examples =
          {
              {R"({"op":"vllm::outplace_fused_experts","args":[{"shape":[32,512],"dtype":"bfloat16"},
               {"shape":[8,256,512],"dtype":"bfloat16"},{"shape":[8,512,128],"dtype":"bfloat16"},
               {"shape":[32,2],"dtype":"float32"},{"shape":[32,2],"dtype":"int32"},null,
               {"value":false},{"value":8},null]})",
               "T=(32,512)", std::nullopt, 2.0 * 64 * 512 * (256 + 128), std::nullopt,
               Basis::kEstimated},
              // 8 of 16 experts are here.
              {R"({"op":"vllm::inplace_fused_experts","args":[{"shape":[32,512],"dtype":"bfloat16"},
               {"shape":[8,256,512],"dtype":"bfloat16"},{"shape":[8,512,128],"dtype":"bfloat16"},
               {"shape":[32,2],"dtype":"float32"},{"shape":[32,2],"dtype":"int32"},null,
               {"value":false},{"value":16},{"shape":[16],"dtype":"int32"}]})",
               "T=(32,512)", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
