// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule attention: attention in ops of its own: the product of queries and keys, softmax, the
// product with the values, and whatever else touches the scores of all pairs (scale, mask, dropout,
// casts). A fused kernel keeps those on the chip. All of that chain has to be there.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Part of tensor cores' peak that fused kernels reach on sequences of 128 and more: measured for
/// cuDNN's and FlashAttention 2 on Hopper, 0.18 to 0.4. A causal mask leaves out nearly half of the
/// products, which counts as up to 0.7 of the peak; the trace does not say which masks are causal.
constexpr Efficiency kAttentionFused = {0.18, 0.7};
/// The backward pass computes the scores anew: five products instead of four.
constexpr double kAttentionBackward = 5.0 / 4;
/// Shorter sequences are not worth it.
constexpr std::int64_t kLeastLength = 64;

bool is_softmax(const WorkGroup& group) {
  return group.op_inner.find("softmax") != std::string::npos;
}

struct Scores {
  std::int64_t queries = 0, keys = 0;
};

/// The sizes of a softmax over (batch, heads, queries, keys); none: it is not attention's.
Scores scores_of(const WorkGroup& group) {
  for (const Tensor& tensor : group.tensors) {
    if (tensor.shape.size() < 3) continue;
    const std::int64_t keys = tensor.shape.back(), queries = *(tensor.shape.end() - 2);
    if (keys >= kLeastLength && queries >= kLeastLength) {
      return {queries, keys};
    }
  }
  return {};
}

bool has(const GemmShape& gemm, std::int64_t m, std::int64_t n) {
  return (gemm.m == m && gemm.n == n) || (gemm.m == n && gemm.n == m);
}

/// Its result are scores, or the gradient of scores.
bool makes_scores(const GemmShape& gemm, const Scores& scores) {
  return has(gemm, scores.keys, scores.queries);
}

/// It multiplies scores, or their gradient, by the values, keys or queries.
bool takes_scores(const GemmShape& gemm, const Scores& scores) {
  const std::int64_t k = gemm.k.value_or(0);
  const std::int64_t other = k == scores.keys ? scores.queries : scores.keys;
  return (k == scores.keys || k == scores.queries) && (gemm.m == other || gemm.n == other);
}

bool is_score_product(const WorkGroup& group, const Scores& scores) {
  if (!group.is_product || !group.gemm || group.gemm->batch < 2) return false;
  return makes_scores(*group.gemm, scores) || takes_scores(*group.gemm, scores);
}

/// An op over the scores of all pairs.
bool is_over_scores(const WorkGroup& group, const Scores& scores) {
  return std::ranges::any_of(group.tensors, [&](const Tensor& tensor) {
    const std::size_t rank = tensor.shape.size();
    return rank >= 2 && tensor.shape[rank - 1] == scores.keys &&
           tensor.shape[rank - 2] == scores.queries;
  });
}

struct Layer {
  Scores scores;
  std::set<std::string> products;  ///< Ops that multiply scores; they may copy operands, too.
  bool has_scores = false, has_values = false;  ///< The products of the forward pass.
  double forward_flops = 0, backward_flops = 0;
  DType dtype = DType::kUnknown;
  std::vector<const WorkGroup*> groups;
};

std::map<std::string, Layer> layers_with_scores(const StepFacts& facts) {
  std::map<std::string, Layer> layers;
  for (const WorkGroup& group : facts.groups) {
    // Without its layer, nothing distinguishes attention from the rest of the model.
    const Scores scores = is_softmax(group) && !group.layer.empty() ? scores_of(group) : Scores{};
    if (scores.keys > 0) layers[group.layer].scores = scores;
  }
  for (const WorkGroup& group : facts.groups) {
    const auto layer = layers.find(group.layer);
    if (layer == layers.end() || !is_score_product(group, layer->second.scores)) continue;
    layer->second.products.insert(group.op);
    if (group.direction == Direction::kBprop) continue;
    layer->second.has_scores |= makes_scores(*group.gemm, layer->second.scores);
    layer->second.has_values |= takes_scores(*group.gemm, layer->second.scores);
  }
  return layers;
}

std::vector<Advice> find_attention(const StepFacts& facts) {
  std::map<std::string, Layer> layers = layers_with_scores(facts);
  for (const WorkGroup& group : facts.groups) {
    const auto found = layers.find(group.layer);
    if (found == layers.end() || group.kind != GpuRow::Kind::kKernel) continue;
    Layer& layer = found->second;
    const bool is_part = layer.products.contains(group.op) ||
                         (!group.is_product && is_over_scores(group, layer.scores));
    if (!is_part) continue;
    layer.groups.push_back(&group);
    if (!is_score_product(group, layer.scores)) continue;
    (group.direction == Direction::kBprop ? layer.backward_flops : layer.forward_flops) +=
        group.flops;
    if (group.is_product_kernel) layer.dtype = group.dtype;
  }
  WorkTime found;
  double peak = 0;
  for (const auto& [name, layer] : layers) {
    if (layer.forward_flops <= 0 || !layer.has_scores || !layer.has_values) continue;
    const DType dtype = layer.dtype == DType::kFloat32 ? DType::kTFloat32 : layer.dtype;
    const double fused = tensor_core_ns(
        facts, layer.forward_flops + kAttentionBackward * layer.backward_flops, dtype);
    if (fused <= 0) continue;
    for (const WorkGroup* group : layer.groups) found.add(*group);
    peak += fused;
  }
  if (found.groups.empty()) return {};
  Advice made =
      advice_about(facts, found, "fuse attention", "kernel of products, softmax and others",
                   "kernels of products, softmax and others");
  // Two kernels stay in each direction.
  made.gain =
      facts.gain(less(facts.with_turnaround(found.gpu_ns, found.count), peak, kAttentionFused),
                 0.5 * found.host_ns);
  made.show = kernels_where(layers_and_ops(found.groups));
  return {made};
}

}  // namespace

void register_attention(Registry& registry) {
  registry.add({"attention", "attention in separate products and softmax", find_attention});
}

}  // namespace prof::rules
