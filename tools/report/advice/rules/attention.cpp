// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule attention: attention in ops of its own: products, softmax and whatever else touches the
// scores of all pairs. A fused kernel keeps those on the chip.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Of tensor cores' peak, by fused kernels on sequences of 128 and more: measured for cuDNN's and
/// FlashAttention 2 on Hopper.
constexpr Efficiency kAttentionFused = {0.18, 0.4};
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

/// Of a softmax over (batch, heads, queries, keys); none: it is not attention's.
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

bool is_score_product(const WorkGroup& group, const Scores& scores) {
  if (!group.is_product || !group.gemm || group.gemm->batch < 2) return false;
  const GemmShape& gemm = *group.gemm;
  const auto has = [&](std::int64_t size) {
    return gemm.m == size || gemm.n == size || gemm.k.value_or(0) == size;
  };
  return has(scores.keys) && has(scores.queries);
}

struct Layer {
  Scores scores;
  std::set<std::string> products;  ///< Ops that multiply scores; they may copy operands, too.
  double forward_flops = 0, backward_flops = 0;
  DType dtype = DType::kUnknown;
  std::vector<const WorkGroup*> groups;
};

std::map<std::string, Layer> layers_with_scores(const StepFacts& facts) {
  std::map<std::string, Layer> layers;
  for (const WorkGroup& group : facts.groups) {
    // Without its layer, nothing tells attention from the rest of the model.
    const Scores scores = is_softmax(group) && !group.layer.empty() ? scores_of(group) : Scores{};
    if (scores.keys > 0) layers[group.layer].scores = scores;
  }
  for (const WorkGroup& group : facts.groups) {
    const auto layer = layers.find(group.layer);
    if (layer == layers.end() || !is_score_product(group, layer->second.scores)) continue;
    layer->second.products.insert(group.op);
  }
  return layers;
}

std::vector<Advice> find_attention(const StepFacts& facts) {
  std::map<std::string, Layer> layers = layers_with_scores(facts);
  for (const WorkGroup& group : facts.groups) {
    const auto found = layers.find(group.layer);
    if (found == layers.end() || group.kind != GpuRow::Kind::kKernel) continue;
    Layer& layer = found->second;
    if (group.is_product && !layer.products.contains(group.op)) continue;
    layer.groups.push_back(&group);
    if (!is_score_product(group, layer.scores)) continue;
    (group.direction == Direction::kBprop ? layer.backward_flops : layer.forward_flops) +=
        group.flops;
    if (group.is_product_kernel) layer.dtype = group.dtype;
  }
  WorkTime time;
  double peak = 0;
  std::vector<const WorkGroup*> found;
  for (const auto& [name, layer] : layers) {
    if (layer.forward_flops <= 0) continue;
    const DType dtype = layer.dtype == DType::kFloat32 ? DType::kTFloat32 : layer.dtype;
    const double fused = tensor_core_ns(
        facts, layer.forward_flops + kAttentionBackward * layer.backward_flops, dtype);
    if (fused <= 0) continue;
    for (const WorkGroup* group : layer.groups) time.add(*group);
    found.insert(found.end(), layer.groups.begin(), layer.groups.end());
    peak += fused;
  }
  if (found.empty()) return {};
  Advice made;
  made.what = "fuse attention";
  made.evidence = time_in(facts, time, "kernel of products, softmax and others",
                          "kernels of products, softmax and others");
  made.where = layers_text(found);
  // Two kernels stay in each direction.
  made.gain =
      facts.gain(less(facts.with_turnaround(time.gpu_ns, time.count), peak, kAttentionFused),
                 0.5 * time.host_ns);
  made.show = kernels_where(layers_and_ops(found));
  return {made};
}

}  // namespace

void register_attention(Registry& registry) {
  registry.add({"attention", "attention in separate products and softmax", find_attention});
}

}  // namespace prof::rules
