// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule alignment: products of 16-bit floats with a leading dimension that is no multiple of 16
// bytes, for which cuBLAS has slower kernels (NVIDIA, Matrix Multiplication Background, Tensor Core
// Requirements). A padded one reaches what the aligned products of this step do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

constexpr std::int64_t kElements = 8;  ///< The 16-bit elements of 16 bytes.
/// Part of the peak, where the step has no aligned product to compare with.
constexpr Efficiency kAligned = {0.5, 0.8};

bool is_product(const WorkGroup& group) {
  return group.is_product && group.is_main && group.gemm && group.gemm->k &&
         is_16_bit(group.dtype) && group.compute_ns > 0;
}

/// The size that is no multiple; 0: all are. The layout decides which of them matter.
std::int64_t odd_size(const WorkGroup& group) {
  const GemmShape& gemm = *group.gemm;
  if (gemm.m % kElements != 0) return gemm.m;
  if (*gemm.k % kElements != 0 && group.layout != "nt") return *gemm.k;
  if (gemm.n % kElements != 0 && group.layout.ends_with('t')) return gemm.n;
  return 0;
}

/// The efficiency that aligned products of at least a quarter of the size reach here.
Efficiency reached(const StepFacts& facts, double flops) {
  double compute = 0, time = 0;
  for (const WorkGroup& group : facts.groups) {
    if (!is_product(group) || odd_size(group) != 0 || group.flops < flops / 4) continue;
    compute += group.compute_ns;
    time += group.computed_ns;
  }
  if (time <= 0) return kAligned;
  const double mean = std::clamp(compute / time, 0.05, 0.9);
  return {0.8 * mean, std::min(1.2 * mean, 0.95)};
}

std::vector<Advice> find_alignment(const StepFacts& facts) {
  std::vector<std::string> sizes;
  WorkTime found;
  Gain gain;
  for (const WorkGroup& group : facts.groups) {
    if (!is_product(group)) continue;
    const std::int64_t odd = odd_size(group);
    if (odd < kElements) continue;
    const Gain here =
        less(group.gpu_ns, group.compute_ns, reached(facts, group.flops / group.count));
    if (here.high_ns <= 0) continue;
    gain = gain + here;
    found.add(group);
    // Large sizes are cheap to pad to whole tiles.
    const std::int64_t multiple = odd < 512 ? kElements : 64;
    const std::int64_t padded = (odd + multiple - 1) / multiple * multiple;
    sizes.push_back(fmt::format("{} to {}", odd, padded));
  }
  if (found.groups.empty()) return {};
  Advice made = advice_about(facts, found, fmt::format("pad {}", list_of(sizes)),
                             "product with unaligned sizes", "products with unaligned sizes");
  made.gain = facts.gain(gain, 0);
  made.show = "gemms --where \"unaligned <> 'none'\"";
  return {made};
}

}  // namespace

void register_alignment(Registry& registry) {
  registry.add({"alignment", "sizes that cost tensor cores their speed", find_alignment});
}

}  // namespace prof::rules
