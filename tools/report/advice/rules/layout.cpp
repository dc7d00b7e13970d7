// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule layout: convolutions that convert between NCHW and NHWC, because tensor cores work on the
// latter. In torch.channels_last nothing is converted, and cuDNN normalizes batches.
#include <algorithm>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Part of the memory's peak that cuDNN's batch norm reaches on NHWC: it reads its input twice.
/// Measured on ResNet-50.
constexpr Efficiency kBatchNorm = {0.16, 0.45};

/// Host time of a conversion: cuDNN launches it beside its convolution.
constexpr double kConversionNs = 5'000;

std::vector<Advice> find_layout(const StepFacts& facts) {
  WorkTime found, norms;
  double norm_memory = 0;
  for (const WorkGroup& group : facts.groups) {
    if (converts_layout(group)) {
      found.add(group);
    } else if (group.op == "batch_norm" && group.kernel.starts_with("batch_norm_")) {
      norms.add(group);
      norm_memory += group.memory_ns;
    }
  }
  if (found.groups.empty()) return {};
  Advice made = advice_about(facts, found, "use torch.channels_last", "conversion of layouts",
                             "conversions of layouts");
  const Gain of_norms = less(norms.gpu_ns, norm_memory, kBatchNorm);
  made.gain = facts.gain(Gain{0.9 * found.gpu_ns, found.gpu_ns} + of_norms,
                         std::min(found.host_ns, kConversionNs * found.count));
  made.show = kernels_where("kernel LIKE '%nchwToNhwc%' OR kernel LIKE '%nhwcToNchw%'");
  return {made};
}

}  // namespace

void register_layout(Registry& registry) {
  registry.add({"layout", "convolutions that convert layouts", find_layout});
}

}  // namespace prof::rules
