// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Scaled dot-product attention in one op: softmax(q kᵀ scale) v, and the gradients of q, k and v,
// for which the scores are recomputed.
#include <algorithm>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Sizes {
  double batch, heads, queries, keys, width, value_width;
};

/// The layout is (batch, heads, sequence, width), or (batch, sequence, heads, width) for the
/// kernels' own entry points and with attr `layout` "bshd".
bool heads_last(const OpDesc& op) {
  const std::string_view name = canonical_word(op.op);
  const bool is_of_library = name.find("::") != std::string_view::npos;
  return is_of_library || name.starts_with("_flash_attention") ||
         name.starts_with("_efficient_attention") || word(op, "layout") == "bshd";
}

std::optional<Sizes> find_sizes(const OpDesc& op) {
  const std::size_t at = op.direction == Direction::kBprop ? 1 : 0;  // after dy
  const Tensor* q = input_or(op, "q", at);
  const Tensor* k = input_or(op, "k", at + 1);
  const Tensor* v = input_or(op, "v", at + 2);
  if (q == nullptr || k == nullptr || v == nullptr) return std::nullopt;
  const std::size_t rank = q->shape.size();
  if (rank < 2 || k->shape.size() != rank || v->shape.size() != rank) return std::nullopt;
  if (heads_last(op) && rank != 4)
    return std::nullopt;  // packed: the shapes do not hold the lengths
  const auto size = [&](const Tensor& t, std::size_t from_last) {
    return static_cast<double>(t.shape[rank - 1 - from_last]);
  };
  const bool last = heads_last(op);
  Sizes sizes{1, 1, size(*q, last ? 2 : 1), size(*k, last ? 2 : 1), size(*q, 0), size(*v, 0)};
  if (rank > 2) sizes.heads = size(*q, last ? 1 : 2);
  for (std::size_t i = 3; i < rank; ++i) sizes.batch *= size(*q, i);
  if (size(*k, 0) < sizes.width || size(*k, 0) > sizes.width) return std::nullopt;
  return sizes;
}

/// (query, key) pairs of one head; causal: keys up to i for query i.
double pairs(const OpDesc& op, const Sizes& sizes) {
  if (!flag(op, "causal") && !flag(op, "is_causal")) return sizes.queries * sizes.keys;
  const double full = std::min(sizes.queries, sizes.keys);
  return full * (full + 1) / 2 + (sizes.queries - full) * sizes.keys;
}

std::string print(const Sizes& sizes) {
  const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
  std::string result = "B=" + whole(sizes.batch) + ",H=" + whole(sizes.heads) +
                       ",Q=" + whole(sizes.queries) + ",K=" + whole(sizes.keys) +
                       ",D=" + whole(sizes.width);
  if (sizes.value_width < sizes.width || sizes.value_width > sizes.width) {
    result += ",V=" + whole(sizes.value_width);
  }
  return result;
}

OpFacts evaluate_attention(const OpDesc& op) {
  OpFacts facts;
  const auto sizes = find_sizes(op);
  if (!sizes) return facts;
  if (sizes->width < 1e9) facts.claims.head_size = static_cast<std::int64_t>(sizes->width);
  const double all_heads = sizes->batch * sizes->heads;
  if (all_heads < 1e15 && sizes->queries < 1e15 && sizes->keys < 1e15) facts.params = print(*sizes);
  const double count = all_heads * pairs(op, *sizes);
  const bool drops = nonzero(op, "dropout_p");
  double flops = 0;
  if (op.direction == Direction::kBprop) {
    flops = 2 * count * (3 * sizes->width + 2 * sizes->value_width) + 6 * count +
            2 * all_heads * sizes->queries * sizes->value_width;
  } else {
    flops = 2 * count * (sizes->width + sizes->value_width) + (drops ? 8 : 6) * count;
  }
  // A mask may leave pairs out; so may a window, of which -1 is none.
  const auto is_open = [&op](std::string_view side) {
    return !has_attr(op, side) || number(op, side) == -1.0;
  };
  const bool all_pairs =
      input(op, "attn_mask") == nullptr && is_open("window_left") && is_open("window_right");
  const bool is_stated = !has_shapes_only(op) || has_attr(op, "is_causal");
  const bool estimated = op.direction == Direction::kBprop || !all_pairs || !is_stated;
  facts.cost = cost(flops, traffic(op), estimated ? Basis::kEstimated : Basis::kExact);
  return facts;
}

/// The result has v's width; gradients have the shapes of q, k and v.
void complete_attention(OpDesc& op) {
  const bool backward = op.direction == Direction::kBprop;
  if (!find_sizes(op)) return;
  const std::size_t at = backward ? 1 : 0;
  const Tensor q = *input_or(op, "q", at);
  const Tensor k = *input_or(op, "k", at + 1);
  const Tensor v = *input_or(op, "v", at + 2);
  if (backward) {
    add_output(op, "dq", q.shape, q.dtype);
    add_output(op, "dk", k.shape, k.dtype);
    add_output(op, "dv", v.shape, v.dtype);
    return;
  }
  Shape shape = q.shape;
  shape.back() = v.shape.back();
  add_output(op, "y", std::move(shape), q.dtype);
}

}  // namespace

void register_attention(Registry& registry);
void register_attention(Registry& registry) {
  registry.add({
      .name = "attention",
      .formulas =
          {
              {"scaled_dot_product_attention flash_attention attention",
               "P·(2·(D + V) + 6): two products; scale 1, softmax 5; attr `dropout_p` not 0: + 2P",
               "P·(2·(3D + 2V) + 6) + 2·B·H·Q·V: the scores again and four gradients; exp with "
               "scale 3, gradient of the softmax 3; the sum of dy·y",
               "in + out",
               "exact forward, estimated backward; estimated where PyTorch does not state whether "
               "it is causal, or with a mask or a window"},
          },
      .notes = "q (B,H,Q,D), k (B,H,K,D), v (B,H,K,V); k and v may have fewer heads. P = B·H·Q·K "
               "pairs; attr `causal` (or `is_causal`): K counts up to the diagonal, Q(Q+1)/2 of "
               "Q·Q. PyTorch's own FLOP counter leaves the softmax out and counts all pairs. Attr "
               "`layout`=bshd: (B,Q,H,D).",
      .evaluate = evaluate_attention,
      .complete = complete_attention,
      .is_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"scaled_dot_product_attention","dir":"fprop","args":[
              {"name":"q","role":"in","type":"tensor","shape":[2,4,64,32],"dtype":"float16"},
              {"name":"k","role":"in","type":"tensor","shape":[2,4,64,32],"dtype":"float16"},
              {"name":"v","role":"in","type":"tensor","shape":[2,4,64,32],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[2,4,64,32],"dtype":"float16"}],
              "attrs":{"causal":true}})",
               "B=2,H=4,Q=64,K=64,D=32", std::nullopt, 8.0 * 2080 * (128 + 6), 4 * 2 * 16384},
              {R"({"v":1,"mod":"prof","op":"flash_attention","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[2,64,4,32],"dtype":"bfloat16"},
              {"name":"q","role":"in","type":"tensor","shape":[2,64,4,32],"dtype":"bfloat16"},
              {"name":"k","role":"in","type":"tensor","shape":[2,64,4,32],"dtype":"bfloat16"},
              {"name":"v","role":"in","type":"tensor","shape":[2,64,4,32],"dtype":"bfloat16"},
              {"name":"y","role":"in","type":"tensor","shape":[2,64,4,32],"dtype":"bfloat16"}],
              "attrs":{"layout":"bshd"}})",
               "B=2,H=4,Q=64,K=64,D=32", std::nullopt, 8.0 * 4096 * (2 * 160 + 6) + 2 * 8 * 64 * 32,
               8 * 2 * 16384, Basis::kEstimated},
              {"aten::_scaled_dot_product_flash_attention, sizes = [[2, 8, 64, 32], [2, 2, 96, "
               "32], [2, 2, 96, 32], [], [], [], []]",
               "B=2,H=8,Q=64,K=96,D=32", std::nullopt, 16.0 * 64 * 96 * (2 * 64 + 6),
               2.0 * (2 * 32768 + 2 * 12288), Basis::kEstimated, DType::kFloat16},
              {"aten::_flash_attention_forward, sizes = [[2, 64, 4, 32], [2, 64, 4, 32], [2, 64, "
               "4, 32], [], [], [], [], [], [], [], []]",
               "B=2,H=4,Q=64,K=64,D=32", std::nullopt, 8.0 * 4096 * 134, std::nullopt,
               Basis::kEstimated},
              {R"({"op":"aten::scaled_dot_product_attention","args":[
              {"shape":[2,4,64,32],"dtype":"float16"},{"shape":[2,4,64,32],"dtype":"float16"},
              {"shape":[2,4,64,32],"dtype":"float16"},null,{"value":0.0},{"value":true},null,
              {"value":false}]})",
               "B=2,H=4,Q=64,K=64,D=32", std::nullopt, 8.0 * 2080 * (128 + 6), 4 * 2 * 16384},
              {R"({"op":"aten::_flash_attention_forward","args":[
              {"shape":[2,64,4,32],"dtype":"float16"},{"shape":[2,64,4,32],"dtype":"float16"},
              {"shape":[2,64,4,32],"dtype":"float16"},null,null,{"value":64},{"value":64},
              {"value":0.0},{"value":false},{"value":false},null,{"value":16},{"value":0},null,
              null]})",
               "B=2,H=4,Q=64,K=64,D=32", std::nullopt, 8.0 * 4096 * 134, 4 * 2 * 16384.0,
               Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
