// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule bias: a bias is added to the result of a product, or its gradient is summed up, by kernels
// of their own. Both read again what the product's kernel has in registers: cublasLt has epilogues
// for them (BIAS, BGRADA, BGRADB), cuDNN and CUTLASS likewise.
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Parts of their time that are gained. Almost nothing of an addition remains in the product's
/// kernel, because it is part of writing the result; a sum over the tokens needs all blocks.
constexpr Efficiency kAdded = {0.8, 1.0}, kSummed = {0.5, 0.9};

bool is_addition(const WorkGroup& group) {
  if (group.op == "bias") return group.direction == Direction::kFprop;
  const bool adds = group.op_inner == "aten::add" || group.op_inner == "aten::add_";
  return group.is_product && adds && group.direction == Direction::kFprop;
}

bool is_sum(const WorkGroup& group) {
  return group.part == Part::kBias && group.direction == Direction::kBprop;
}

/// The condition that chooses the groups' kernels, and those alone.
std::string rows_of(const std::vector<const WorkGroup*>& found) {
  std::vector<const WorkGroup*> additions;
  bool has_own_op = false, has_sums = false;
  for (const WorkGroup* group : found) {
    has_own_op = has_own_op || group->op == "bias";
    has_sums = has_sums || is_sum(*group);
    if (group->op != "bias" && is_addition(*group)) additions.push_back(group);
  }
  std::string chosen;
  const auto add = [&chosen](const std::string& condition) {
    chosen += (chosen.empty() ? "" : " OR ") + condition;
  };
  if (has_own_op) add("op = 'bias'");
  if (has_sums) add("part = 'bias'");
  if (!additions.empty()) {
    add("(dir = 'fprop' AND " + layers_and_ops(additions) + " AND " + inner_ops(additions) + ")");
  }
  return chosen;
}

std::vector<Advice> find_bias(const StepFacts& facts) {
  WorkTime added, summed;
  std::vector<const WorkGroup*> found;
  for (const WorkGroup& group : facts.groups) {
    if (group.kind != GpuRow::Kind::kKernel || group.is_product_kernel) continue;
    if (!is_addition(group) && !is_sum(group)) continue;
    (is_addition(group) ? added : summed).add(group);
    found.push_back(&group);
  }
  // Sums alone are what PyTorch does, whose products add biases: it has nothing to offer instead.
  if (added.count == 0) return {};
  WorkTime time = added;
  time.count += summed.count;
  time.gpu_ns += summed.gpu_ns;
  time.host_ns += summed.host_ns;
  const double added_ns = facts.with_turnaround(added.gpu_ns, added.count);
  const double summed_ns = facts.with_turnaround(summed.gpu_ns, summed.count);
  Advice made;
  made.what = "fuse biases into GEMMs";
  made.where = layers_text(found);
  made.evidence = time_in(facts, time, "kernel that adds a bias or sums up its gradient",
                          "kernels that add biases or sum up their gradients");
  made.gain = facts.gain({kAdded.low * added_ns + kSummed.low * summed_ns,
                          kAdded.high * added_ns + kSummed.high * summed_ns},
                         0);
  made.show = kernels_where(rows_of(found));
  return {made};
}

}  // namespace

void register_bias(Registry& registry) {
  registry.add({"bias", "biases that products could add", find_bias});
}

}  // namespace prof::rules
