// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule zeroing: tensors that are set to zero in each step, such as gradients that are kept. What
// libraries clear for themselves does not count.
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Host time of a separate set.
constexpr double kSetNs = 5'000;

bool sets_to_zero(const WorkGroup& group) {
  return group.op == "zero" || group.op_inner.find("zero_") != std::string::npos;
}

std::vector<Advice> find_zeroing(const StepFacts& facts) {
  WorkTime time;
  for (const WorkGroup& group : facts.groups) {
    if (sets_to_zero(group)) time.add(group);
  }
  if (time.gpu_ns <= 0) return {};
  Advice made;
  made.what = "skip zeroing buffers";
  made.evidence = time_in(facts, time, "buffer set to zero", "buffers set to zero");
  made.gain = facts.gain({0.6 * time.gpu_ns, time.gpu_ns}, kSetNs * time.count);
  made.show = "gpu --where \"op = 'zero' OR instr(op_inner, 'zero_') > 0\"";
  return {made};
}

}  // namespace

void register_zeroing(Registry& registry) {
  registry.add({"zeroing", "tensors that are set to zero in each step", find_zeroing});
}

}  // namespace prof::rules
