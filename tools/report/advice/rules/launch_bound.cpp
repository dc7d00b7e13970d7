// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule launch_bound: the GPU waits for launches. A CUDA graph launches a whole step at once; what
// is left is the GPU's own time, and a few microseconds between its kernels (docs/advice.md).
#include <fmt/format.h>

#include "libprof/base/counted.hpp"
#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

std::vector<Advice> find_launch_bound(const StepFacts& facts) {
  const double waits = facts.host_ns - facts.gpu_ns;
  const double launches = static_cast<double>(facts.step.work.launches) / facts.step.count();
  if (launches < 2 || waits <= 0) return {};
  Advice made;
  made.what = "launch by CUDA graphs";
  made.evidence = fmt::format("{} launches take the host {} ms, the GPU needs {} ms",
                              grouped(static_cast<std::uint64_t>(launches)), in_ms(facts.host_ns),
                              in_ms(facts.gpu_ns));
  made.gain = {0.8 * waits, 1.2 * waits};
  made.show = "-r launch";
  return {made};
}

}  // namespace

void register_launch_bound(Registry& registry) {
  registry.add({"launch_bound", "the GPU waits for launches", find_launch_bound});
}

}  // namespace prof::rules
