// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule casts: parameters that are converted in each step, as autocast does with weights in float32.
// Weights kept in the type of the products need none of it, nor do their gradients.
#include <fmt/format.h>

#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

bool is_cast(const WorkGroup& group) {
  return group.op_inner == "aten::copy_" || group.op_inner == "aten::_to_copy";
}

std::vector<Advice> find(const StepFacts& facts) {
  WorkTime time;
  std::vector<const WorkGroup*> found;
  for (const WorkGroup& group : facts.groups) {
    if (group.kind != GpuRow::Kind::kKernel || !group.is_product || !is_cast(group)) continue;
    if (!is_16_bit(group.dtype) && group.dtype != DType::kFloat32) continue;
    time.add(group);
    found.push_back(&group);
  }
  if (found.empty()) return {};
  Advice made;
  made.what = "keep weights in 16 bits";
  made.evidence = fmt::format("{:.0f} casts for products take {:.3g} ms", time.count,
                              time.gpu_ns / 1e6);
  made.where = layers_text(found);
  made.gain = facts.gain({0.6 * time.gpu_ns, 1.1 * time.gpu_ns}, 0.8 * time.host_ns);
  made.show = kernels_where("op_inner IN ('aten::copy_', 'aten::_to_copy')");
  return {made};
}

}  // namespace

void register_casts(Registry& registry) {
  registry.add({"casts", "casts of the same weights in each step", find});
}

}  // namespace prof::rules
