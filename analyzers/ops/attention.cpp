// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Scaled dot-product attention in one op: softmax(q kᵀ scale) v, and the gradients of q, k and v,
// for which the scores are recomputed.
#include <algorithm>
#include <utility>

#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/attention_pairs.hpp"
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Sizes {
  double heads = 1, width = 0, value_width = 0;
  double all_queries = 0;       ///< Queries of the whole batch.
  std::optional<double> pairs;  ///< Pairs of a query and a key, for one head in the whole batch.
  double batch = 1;
  /// Lengths of each sequence; absent: the sequences have different lengths.
  std::optional<PackedPairs::Lengths> lengths = {};
  bool is_certain = true, is_upper_bound = false;
};

/// The kernels' own entry points: (batch, sequence, heads, width), or packed (tokens, heads,
/// width), and a causal mask ends at the last query and key.
bool is_entry_point(const OpDesc& op) {
  return is_library_op(op.op) || canonical_word(op.op).starts_with("_flash_attention");
}

/// Otherwise the layout is (batch, heads, sequence, width).
bool heads_last(const OpDesc& op) {
  if (word(op, "layout") == "bhsd") return false;
  return is_entry_point(op) || canonical_word(op.op).starts_with("_efficient_attention") ||
         word(op, "layout") == "bshd";
}

/// Keys and values are those of a cache: its shape is what it has room for.
bool is_cached(const OpDesc& op) {
  constexpr std::string_view kOfCaches[] = {"pages", "used_k", "new_k"};
  return std::ranges::any_of(kOfCaches,
                             [&op](std::string_view name) { return input(op, name) != nullptr; });
}

CausalMask mask_of(const OpDesc& op) {
  // PyTorch's CustomMaskType, and FlashInfer's MaskMode.
  const double type = number(op, "mask_type").value_or(0);
  if (type == 1) return CausalMask::kTopLeft;
  if (type == 2) return CausalMask::kBottomRight;
  if (number(op, "mask_mode") == 1.0) return CausalMask::kBottomRight;
  if (!flag(op, "causal") && !flag(op, "is_causal")) return CausalMask::kNone;
  return is_entry_point(op) ? CausalMask::kBottomRight : CausalMask::kTopLeft;
}

/// The op says whether the mask is causal, or has the default. A chain of operations that is
/// recognized as attention may have any.
bool states_mask(const OpDesc& op) {
  if (has_attr(op, "recognized")) return false;
  constexpr std::string_view kOfMasks[] = {"causal", "is_causal", "mask_type", "mask_mode"};
  return (!has_shapes_only(op) && !is_library_op(op.op)) ||
         std::ranges::any_of(kOfMasks, [&op](std::string_view key) { return has_attr(op, key); });
}

/// The product of all dimensions except heads and width.
double tokens_of(const Tensor& tensor) {
  return elements(Shape(tensor.shape.begin(), tensor.shape.end() - 2));
}

/// The sequences lie behind each other, or their keys are in a cache.
void count_packed(const OpDesc& op, const Tensor& q, const Tensor& k, Sizes& sizes) {
  PackedSequences packed;
  packed.queries = sizes.all_queries;
  packed.longest_query = number(op, "max_q");
  packed.longest_key = number(op, "max_k");
  if (!is_cached(op)) packed.keys = tokens_of(k);
  if (const Tensor* starts = input(op, "cum_q")) {
    packed.count = elements(starts->shape) - 1;
  } else if (q.shape.size() == 4) {
    packed.count = static_cast<double>(q.shape[0]);
    packed.longest_query = static_cast<double>(q.shape[1]);
  }
  sizes.is_certain = false;
  sizes.batch = packed.count;
  const auto pairs = packed_pairs(packed, mask_of(op));
  if (!pairs) return;
  sizes.pairs = pairs->count;
  sizes.lengths = pairs->each;
  sizes.is_upper_bound = pairs->is_upper_bound;
}

/// FlashInfer's attention of one sequence: queries (Q,H,D), or one (H,D); attr `kv_layout` 0: keys
/// (K,H,D), 1: (H,K,D).
std::optional<Sizes> sizes_of_one(const OpDesc& op, const Tensor& q, const Tensor& k, Sizes sizes) {
  if (q.shape.size() > 3 || k.shape.size() != 3) return std::nullopt;
  const std::size_t keys_at = nonzero(op, "kv_layout") ? 1 : 0;
  PackedPairs::Lengths lengths{1, static_cast<double>(k.shape[keys_at])};
  if (q.shape.size() == 3) lengths.queries = static_cast<double>(q.shape[0]);
  sizes.heads = static_cast<double>(q.shape[q.shape.size() - 2]);
  sizes.all_queries = lengths.queries;
  sizes.pairs = pairs_of_sequence(lengths.queries, lengths.keys, mask_of(op));
  sizes.lengths = lengths;
  return sizes;
}

std::optional<Sizes> find_sizes(const OpDesc& op) {
  const std::size_t at = op.direction == Direction::kBprop ? 1 : 0;  // after dy
  const Tensor* q = input_or(op, "q", at);
  const Tensor* k = input_or(op, "k", at + 1);
  const Tensor* v = input_or(op, "v", at + 2);
  if (q == nullptr || k == nullptr || v == nullptr) return std::nullopt;
  const std::size_t rank = q->shape.size();
  const bool cached = is_cached(op);
  const bool packed = cached || input(op, "cum_q") != nullptr;
  if (rank < (packed ? 3 : 2) || k->shape.empty() || v->shape.empty()) return std::nullopt;
  if (k->shape.back() != q->shape.back()) return std::nullopt;
  const auto size = [rank](const Tensor& t, std::size_t from_last) {
    return static_cast<double>(t.shape[rank - 1 - from_last]);
  };
  Sizes sizes{
      .width = size(*q, 0), .value_width = static_cast<double>(v->shape.back()), .pairs = {}};
  if (has_attr(op, "kv_layout")) return sizes_of_one(op, *q, *k, sizes);
  if (!cached && (k->shape.size() != rank || v->shape.size() != rank)) return std::nullopt;
  if (heads_last(op) && rank != 4 && !packed) return std::nullopt;  // no length is stated
  if (packed) {
    sizes.heads = size(*q, 1);
    sizes.all_queries = tokens_of(*q);
    count_packed(op, *q, *k, sizes);
    return sizes;
  }
  const bool last = heads_last(op);
  PackedPairs::Lengths lengths{size(*q, last ? 2 : 1), size(*k, last ? 2 : 1)};
  if (rank > 2) sizes.heads = size(*q, last ? 1 : 2);
  for (std::size_t i = 3; i < rank; ++i) sizes.batch *= size(*q, i);
  sizes.all_queries = sizes.batch * lengths.queries;
  sizes.pairs = sizes.batch * pairs_of_sequence(lengths.queries, lengths.keys, mask_of(op));
  sizes.lengths = lengths;
  return sizes;
}

/// Empty: there are several lengths, or sizes that do not fit.
std::string print(const Sizes& sizes) {
  if (!sizes.lengths || sizes.batch * sizes.heads >= 1e15) return {};
  const auto [queries, keys] = *sizes.lengths;
  if (queries >= 1e15 || keys >= 1e15) return {};
  const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
  std::string result = "B=" + whole(sizes.batch) + ",H=" + whole(sizes.heads) +
                       ",Q=" + whole(queries) + ",K=" + whole(keys) + ",D=" + whole(sizes.width);
  if (sizes.value_width < sizes.width || sizes.value_width > sizes.width) {
    result += ",V=" + whole(sizes.value_width);
  }
  return result;
}

std::optional<double> flops_of(const OpDesc& op, const Sizes& sizes) {
  if (!sizes.pairs) return std::nullopt;
  const double count = sizes.heads * *sizes.pairs;
  if (op.direction == Direction::kBprop) {
    return 2 * count * (3 * sizes.width + 2 * sizes.value_width) + 6 * count +
           2 * sizes.heads * sizes.all_queries * sizes.value_width;
  }
  const double softmax = nonzero(op, "dropout_p") ? 8 : 6;
  return 2 * count * (sizes.width + sizes.value_width) + softmax * count;
}

OpFacts evaluate_attention(const OpDesc& op) {
  OpFacts facts;
  const auto sizes = find_sizes(op);
  if (!sizes) return facts;
  if (sizes->width < 1e9) facts.claims.head_size = static_cast<std::int64_t>(sizes->width);
  facts.params = print(*sizes);
  // A mask may leave pairs out; so may a window, of which -1 is none.
  const auto is_open = [&op](std::string_view side) {
    return !has_attr(op, side) || number(op, side) == -1.0;
  };
  const bool all_pairs = input(op, "attn_mask") == nullptr && is_open("window_left") &&
                         is_open("window_right") && number(op, "mask_mode").value_or(0) < 2;
  const bool exact = op.direction != Direction::kBprop && all_pairs && states_mask(op) &&
                     (sizes->is_certain || !sizes->pairs);
  const Basis basis = sizes->is_upper_bound ? Basis::kUpperBound
                      : exact               ? Basis::kExact
                                            : Basis::kEstimated;
  facts.cost = cost(flops_of(op, *sizes), is_cached(op) ? Traffic{} : traffic(op), basis);
  return facts;
}

/// The result has v's width; gradients have the shapes of q, k and v.
void complete_attention(OpDesc& op) {
  const bool backward = op.direction == Direction::kBprop;
  if (!find_sizes(op) || is_cached(op)) return;
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
              {"scaled_dot_product_attention flash_attention flex_attention attention",
               "P·(2·(D + V) + 6): two products; scale 1, softmax 5; attr `dropout_p` not 0: + 2P",
               "P·(2·(3D + 2V) + 6) + 2·B·H·Q·V: the scores again and four gradients; exp with "
               "scale 3, gradient of the softmax 3; the sum of dy·y",
               "in + out; of keys in a cache: -",
               "exact forward, estimated backward; estimated where it is not stated whether it is "
               "causal, with a mask or a window, or of packed sequences, of which FLOPs may be an "
               "upper bound"},
          },
      .notes =
          "q (B,H,Q,D), k (B,H,K,D), v (B,H,K,V); k and v may have fewer heads. P = B·H·Q·K "
          "pairs; attr `causal` (or `is_causal`): K counts up to the diagonal, Q(Q+1)/2 of "
          "Q·Q, or, in FlashAttention's and other libraries' ops, up to that of the last query and "
          "key. PyTorch's own FLOP counter leaves the softmax out and counts all pairs. Attr "
          "`layout`=bshd: (B,Q,H,D). FlexAttention's mask is a function: all pairs are counted, "
          "which is the most that it computes.\n\n"
          "Packed sequences (`cum_q`: where each begins) state their number, their tokens and "
          "attrs `max_q` and `max_k`, the longest, but not the others' lengths. P is known "
          "where as many of the longest make up all tokens, or where it follows from the "
          "total. Where sequences have as many keys as queries, it is between that of equal "
          "lengths (T²/n of T tokens in n sequences) and that of as many of the longest as "
          "possible; the middle of the two is taken if they are at most 25 % apart, else the most "
          "that there can be, an upper bound. Where the keys are in a cache (`pages`, `used_k`) "
          "that may hold any number, or the longest is not stated, FLOPs are unknown; not if "
          "`max_k` says that no keys are older than the queries.",
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
              // A graph of cuDNN, (B,H,Q,D); of products around a softmax.
              {R"({"op":"cudnn::sdpa","args":[{"shape":[2,4,64,32],"dtype":"float16"},
              {"shape":[2,2,96,32],"dtype":"float16"},{"shape":[2,2,96,32],"dtype":"float16"},
              {"shape":[2,4,64,32],"dtype":"float16"},null],"facts":{"layout":"bhsd",
              "recognized":"products around a softmax","is_causal":true}})",
               "B=2,H=4,Q=64,K=96,D=32", std::nullopt, 8.0 * (64 * 32 + 2080) * 134,
               2.0 * (2 * 16384 + 2 * 12288), Basis::kEstimated},
              // 4 sequences of 64, causal.
              {R"({"op":"flash_attn::_flash_attn_varlen_forward","args":[
              {"shape":[256,8,32],"dtype":"bfloat16"},{"shape":[256,2,32],"dtype":"bfloat16"},
              {"shape":[256,2,32],"dtype":"bfloat16"},{"shape":[5],"dtype":"int32"},
              {"shape":[5],"dtype":"int32"},{"value":64},{"value":64},{"value":0.0},{"value":0.1},
              {"value":true},{"value":-1},{"value":-1},{"value":0.0},null,{"value":false},null,null,
              null,{"value":false}]})",
               "B=4,H=8,Q=64,K=64,D=32", std::nullopt, 8.0 * 4 * 2080 * 134,
               2.0 * (2 * 65536 + 2 * 16384) + 2 * 20, Basis::kEstimated},
              // 4 of up to 68: pairs between 256 * 256 / 4 and 3 * 68 * 68 + 52 * 52.
              {R"({"op":"aten::_efficient_attention_forward","args":[
              {"shape":[1,256,8,32],"dtype":"float16"},{"shape":[1,256,8,32],"dtype":"float16"},
              {"shape":[1,256,8,32],"dtype":"float16"},null,{"shape":[5],"dtype":"int32"},
              {"shape":[5],"dtype":"int32"},{"value":68},{"value":68},{"value":0.0},{"value":0},
              {"value":true},null,null,null]})",
               "T=[(1,256,8,32),(1,256,8,32),(1,256,8,32),(5),(5)]", std::nullopt,
               8.0 * (16384 + 16576) / 2 * 134, 2.0 * 4 * 65536 + 2 * 20, Basis::kEstimated},
              // 4 of up to 200: at most one of 200 and one of 56.
              {R"({"op":"aten::_flash_attention_forward","args":[
              {"shape":[256,8,32],"dtype":"float16"},{"shape":[256,8,32],"dtype":"float16"},
              {"shape":[256,8,32],"dtype":"float16"},{"shape":[5],"dtype":"int32"},
              {"shape":[5],"dtype":"int32"},{"value":200},{"value":200},{"value":0.0},
              {"value":false},{"value":false},null,null,null,null,null]})",
               "T=[(256,8,32),(256,8,32),(256,8,32),(5),(5)]", std::nullopt,
               8.0 * (40000 + 3136) * 134, 2.0 * 4 * 65536 + 2 * 20, Basis::kUpperBound},
              // PyTorch's varlen_attn(), causal, in 2.11: the scale and the window come last.
              {R"({"op":"torch_attn::_varlen_attn","args":[
              {"shape":[256,8,32],"dtype":"bfloat16"},{"shape":[256,8,32],"dtype":"bfloat16"},
              {"shape":[256,8,32],"dtype":"bfloat16"},{"shape":[5],"dtype":"int32"},
              {"shape":[5],"dtype":"int32"},{"value":64},{"value":64},{"value":true},null,
              {"value":[-1,0]}]})",
               "B=4,H=8,Q=64,K=64,D=32", std::nullopt, 8.0 * 4 * 2080 * 134,
               2.0 * 4 * 65536 + 2 * 20, Basis::kEstimated},
              // Its gradients, for 4 sequences of up to 200, not causal.
              {R"({"op":"torch_attn::_varlen_attn_backward","args":[
              {"shape":[256,8,32],"dtype":"bfloat16"},{"shape":[256,8,32],"dtype":"bfloat16"},
              {"shape":[256,8,32],"dtype":"bfloat16"},{"shape":[256,8,32],"dtype":"bfloat16"},
              {"shape":[256,8,32],"dtype":"bfloat16"},{"shape":[8,256],"dtype":"float32"},
              {"shape":[5],"dtype":"int32"},{"shape":[5],"dtype":"int32"},{"value":200},
              {"value":200},{"value":false},{"shape":[2],"dtype":"uint64"},null,
              {"value":[-1,-1]}]})",
               "T=[(256,8,32),(256,8,32),(256,8,32),(256,8,32),(256,8,32),(8,256),(5),(5)]",
               std::nullopt, 8.0 * (40000 + 3136) * (2 * 160 + 6) + 2 * 8 * 256 * 32,
               2.0 * 8 * 65536 + 4.0 * 2048 + 2 * 20, Basis::kUpperBound},
              // One query for each of 4 sequences, whose keys are in a cache of 512 pages.
              {R"({"op":"batch_decode_with_kv_cache_dtype_q_f16_dtype_kv_f16::run","args":[
              {"shape":[1024],"dtype":"uint8"},{"shape":[1024],"dtype":"uint8"},
              {"shape":[10],"dtype":"int64"},{"shape":[4,8,64],"dtype":"float16"},
              {"shape":[512,16,2,64],"dtype":"float16"},{"shape":[512,16,2,64],"dtype":"float16"},
              {"shape":[5],"dtype":"int32"},{"shape":[40],"dtype":"int32"},
              {"shape":[4],"dtype":"int32"},{"shape":[4,8,64],"dtype":"float16"},null,{"value":0},
              {"value":-1},{"value":0.0},{"value":0.125},{"value":1.0},{"value":1.0}]})",
               "T=[(4,8,64),(512,16,2,64),(512,16,2,64),(40)]", std::nullopt, std::nullopt,
               std::nullopt, Basis::kUnknown},
              // One sequence: 16 new queries and 48 keys, causal.
              {R"({"op":"flashinfer_kernels::single_prefill_with_kv_cache","args":[
              {"shape":[16,8,64],"dtype":"float16"},{"shape":[48,2,64],"dtype":"float16"},
              {"shape":[48,2,64],"dtype":"float16"},{"shape":[1024],"dtype":"uint8"},
              {"shape":[16,8,64],"dtype":"float16"},null,{"value":1},{"value":0},{"value":-1},
              null,null,{"value":0.0},{"value":0.125},{"value":1.0},{"value":1.0}]})",
               "B=1,H=8,Q=16,K=48,D=64", std::nullopt, 8.0 * (16 * 48 - 120) * 262,
               2.0 * (2 * 16 * 8 * 64 + 2 * 48 * 2 * 64)},
              // Transformer Engine does not say whether it is causal. 2 sequences of 64.
              {R"({"op":"FusedAttnFunc","args":[{"value":true},{"value":64},{"value":64},
              {"shape":[3],"dtype":"int32"},{"shape":[3],"dtype":"int32"},null,null,null,null,
              {"shape":[64,2,8,32],"dtype":"bfloat16"},{"shape":[64,2,8,32],"dtype":"bfloat16"},
              {"shape":[64,2,8,32],"dtype":"bfloat16"},null,{"value":0.1},{"value":0.0},
              {"value":true}]})",
               "B=2,H=8,Q=64,K=64,D=32", std::nullopt, 8.0 * 2 * 4096 * 134,
               2.0 * 4 * 32768 + 2 * 12, Basis::kEstimated},
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
