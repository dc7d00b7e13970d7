// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule recompute: forward ops that run again inside the backward pass, as activation checkpointing
// does. With enough memory they need not.
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

std::vector<Advice> find_recompute(const StepFacts& facts) {
  WorkTime found;
  for (const WorkGroup& group : facts.groups) {
    if (group.kind != GpuRow::Kind::kKernel || !group.is_recomputed) continue;
    found.add(group);
  }
  if (found.groups.empty()) return {};
  Advice made =
      advice_about(facts, found, "keep activations", "kernel of the forward pass that runs again",
                   "kernels of the forward pass that run again");
  const double again_ns = facts.with_turnaround(found.gpu_ns, found.count);
  made.gain = facts.gain({0.75 * again_ns, 1.05 * again_ns}, 0.9 * found.host_ns);
  made.show = kernels_where("recompute = 'yes'");
  return {made};
}

}  // namespace

void register_recompute(Registry& registry) {
  registry.add({"recompute", "forward ops that run again in the backward pass", find_recompute});
}

}  // namespace prof::rules
