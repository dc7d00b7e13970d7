// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule attention: attention in ops of its own: products, softmax and whatever else touches the
// scores of all pairs. A fused kernel keeps those on the chip.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Of tensor cores' peak, by fused kernels on sequences of 128 and more: measured for cuDNN's and
/// FlashAttention 2 on Hopper.
constexpr Efficiency kFused = {0.12, 0.4};
/// The backward pass computes the scores anew: five products instead of four.
constexpr double kBackward = 5.0 / 4;
/// Shorter sequences are not worth it.
constexpr std::int64_t kLeastLength = 64;

bool is_softmax(const WorkGroup& group) { return group.op_inner.find("softmax") != std::string::npos; }

struct Scores {
  double elements = 0;
  std::int64_t queries = 0, keys = 0;
};

/// Of a softmax over (batch, heads, queries, keys); none: it is not attention's.
Scores scores_of(const WorkGroup& group) {
  for (const Tensor& tensor : group.tensors) {
    if (tensor.shape.size() < 3) continue;
    const std::int64_t keys = tensor.shape.back(), queries = *(tensor.shape.end() - 2);
    if (keys >= kLeastLength && queries >= kLeastLength) {
      return {elements(tensor), queries, keys};
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
  WorkTime time;
  double forward_flops = 0, backward_flops = 0;
  DType dtype = DType::kUnknown;
  std::vector<const WorkGroup*> groups;
};

std::vector<Advice> find(const StepFacts& facts) {
  std::map<std::string, Scores> softmaxes;  // by layer
  for (const WorkGroup& group : facts.groups) {
    if (!is_softmax(group)) continue;
    const Scores scores = scores_of(group);
    if (scores.elements > 0) softmaxes.emplace(group.layer, scores);
  }
  std::map<std::string, Layer> layers;
  for (const WorkGroup& group : facts.groups) {
    const auto softmax = softmaxes.find(group.layer);
    if (softmax == softmaxes.end() || group.kind != GpuRow::Kind::kKernel) continue;
    const bool is_product = is_score_product(group, softmax->second);
    if (!is_product && most_elements(group) < softmax->second.elements) continue;
    Layer& layer = layers[group.layer];
    layer.time.add(group);
    layer.groups.push_back(&group);
    if (!is_product) continue;
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
    const double fused =
        tensor_core_ns(facts, layer.forward_flops + kBackward * layer.backward_flops, dtype);
    if (fused <= 0) continue;
    for (const WorkGroup* group : layer.groups) time.add(*group);
    found.insert(found.end(), layer.groups.begin(), layer.groups.end());
    peak += fused;
  }
  if (found.empty()) return {};
  Advice made;
  made.what = "fuse attention";
  made.evidence = fmt::format("{:.0f} kernels of products, softmax and others take {:.3g} ms",
                              time.count, time.gpu_ns / 1e6);
  made.where = layers_text(found);
  // Two kernels stay in each direction.
  made.gain = facts.gain(less(time.gpu_ns, peak, kFused), 0.5 * time.host_ns);
  made.show = kernels_where("layer LIKE '%attn%' OR op IN ('softmax', 'matmul', 'bmm')");
  return {made};
}

}  // namespace

void register_attention(Registry& registry) {
  registry.add({"attention", "attention in separate products and softmax", find});
}

}  // namespace prof::rules
