// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule fp32_products: products and convolutions in float32 without tensor cores. TF32 computes them
// on tensor cores, with 10 bits of mantissa. PyTorch allows it for convolutions and for other
// products by switches of their own: where one of a kind is computed in TF32 already, the others of
// that kind are not, because their sizes have no such kernel.
#include <algorithm>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Part of the TF32 peak that cuBLAS and cuDNN reach on large sizes.
constexpr Efficiency kTf32 = {0.3, 0.65};
/// Part of the memory's peak that is reached by products which the memory bounds.
constexpr double kMemory = 0.6;

bool is_convolution(const WorkGroup& group) { return group.op.find("conv") != std::string::npos; }

struct Allowed {
  bool convolutions = false, others = false;

  [[nodiscard]] bool has(const WorkGroup& group) const {
    return is_convolution(group) ? convolutions : others;
  }
};

/// For which products TF32 is on.
Allowed allowed_in(const StepFacts& facts) {
  Allowed allowed;
  for (const WorkGroup& group : facts.groups) {
    // Attention has kernels of its own, which no switch concerns.
    if (!group.is_product_kernel || (!group.gemm && !is_convolution(group))) continue;
    const bool is_tf32 = group.dtype == DType::kTFloat32 ||
                         (group.dtype == DType::kFloat32 && group.tensor_core == TensorCore::kYes);
    if (is_tf32) (is_convolution(group) ? allowed.convolutions : allowed.others) = true;
  }
  return allowed;
}

std::vector<Advice> find_fp32_products(const StepFacts& facts) {
  const Allowed allowed = allowed_in(facts);
  WorkTime found;
  Gain gain;
  for (const WorkGroup& group : facts.groups) {
    // Around such convolutions, for which kernels of either layout are chosen.
    if (allowed.has(group)) continue;
    if (group.dtype == DType::kFloat32 && converts_layout(group)) {
      gain = gain + Gain{0.5 * group.gpu_ns, group.gpu_ns};
    }
    if (!group.is_product || !group.is_product_kernel || !group.is_main || group.flops <= 0)
      continue;
    if (group.dtype != DType::kFloat32 || group.tensor_core != TensorCore::kNo) continue;
    const double tf32 = tensor_core_ns(facts, group.flops, DType::kTFloat32);
    if (tf32 <= 0) continue;
    const double memory = group.memory_ns / kMemory;
    gain = gain + Gain{std::max(0.0, group.gpu_ns - std::max(tf32 / kTf32.low, memory)),
                       std::max(0.0, group.gpu_ns - std::max(tf32 / kTf32.high, memory))};
    found.add(group);
  }
  if (found.groups.empty()) return {};
  Advice made = advice_about(facts, found, "compute products in TF32",
                             "product in float32 without tensor cores",
                             "products in float32 without tensor cores");
  made.gain = facts.gain(gain, 0);
  made.show = kernels_where(layers_and_ops(found.groups) +
                            " AND dtype = 'float32' AND tc = 0 AND role = 'main'");
  return {made};
}

}  // namespace

void register_fp32_products(Registry& registry) {
  registry.add({"fp32_products", "products in float32 without tensor cores", find_fp32_products});
}

}  // namespace prof::rules
