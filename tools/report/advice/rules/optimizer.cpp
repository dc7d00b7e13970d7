// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule optimizer: an optimizer of many elementwise kernels. A fused one reads and writes each of
// its tensors once. Adam is known by addcdiv_, which reads three tensors and writes one: it says
// how large one is. Of PyTorch's optimizers with that op, Adam and AdamW have a fused form.
// Clipping, unscaling and zeroing of gradients are not the optimizer's.
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// addcdiv_ moves four tensors; fused Adam seven: parameters and both moments in and out, and the
/// gradients.
constexpr double kFusedOverAddcdiv = 7.0 / 4;
/// Part of the memory's peak that a fused optimizer reaches.
constexpr Efficiency kOptimizerFused = {0.45, 0.9};
/// Part of the optimizer's host time that a fused one saves: almost all of a loop's launches; where
/// kernels for many tensors at once are launched (foreach), the same tensors are still collected.
constexpr Efficiency kLoopHost = {0.6, 0.9}, kForeachHost = {0.1, 0.5};

bool has_fused_form(const WorkGroup& group) { return group.op == "adam" || group.op == "adamw"; }

bool is_fused(const WorkGroup& group) {
  return group.op_inner.find("_fused_") != std::string::npos;
}

std::vector<Advice> find_optimizer(const StepFacts& facts) {
  WorkTime found;
  double addcdiv_bytes = 0;
  bool is_foreach = false;
  for (const WorkGroup& group : facts.groups) {
    if (group.direction != Direction::kUpdate || group.kind != GpuRow::Kind::kKernel) continue;
    if (!has_fused_form(group)) continue;
    if (is_fused(group)) return {};
    found.add(group);
    if (group.op_inner.find("addcdiv_") == std::string::npos) continue;
    addcdiv_bytes += group.bytes;
    is_foreach = is_foreach || group.op_inner.find("_foreach_") != std::string::npos;
  }
  const double fused = memory_ns(facts, kFusedOverAddcdiv * addcdiv_bytes);
  if (fused <= 0) return {};
  Advice made = advice_about(facts, found, "use a fused optimizer", "kernel of the optimizer",
                             "kernels of the optimizer");
  const Efficiency host = is_foreach ? kForeachHost : kLoopHost;
  made.gain =
      facts.gain(less(facts.with_turnaround(found.gpu_ns, found.count), fused, kOptimizerFused),
                 {host.low * found.host_ns, host.high * found.host_ns});
  made.show = kernels_where(layers_and_ops(found.groups) + " AND dir = 'update'");
  return {made};
}

}  // namespace

void register_optimizer(Registry& registry) {
  registry.add({"optimizer", "an optimizer that is not fused", find_optimizer});
}

}  // namespace prof::rules
