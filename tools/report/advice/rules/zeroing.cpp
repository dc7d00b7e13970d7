// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule zeroing: memory that is set in each step: gradients that are zeroed rather than dropped, and
// buffers that are cleared before they are written.
#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Of the host, for a set of its own.
constexpr double kSetNs = 5'000;

bool sets_memory(const WorkGroup& group) {
  if (group.kind == GpuRow::Kind::kMemset) return true;
  return group.direction == Direction::kUpdate &&
         (group.op_inner.find("zero_") != std::string::npos || group.op == "zero");
}

std::vector<Advice> find(const StepFacts& facts) {
  WorkTime time;
  for (const WorkGroup& group : facts.groups) {
    if (sets_memory(group)) time.add(group);
  }
  if (time.gpu_ns <= 0) return {};
  Advice made;
  made.what = "do not clear memory";
  made.evidence = time_in(time, "set of memory", "sets of memory");
  made.gain = facts.gain({0.6 * time.gpu_ns, time.gpu_ns}, kSetNs * time.count);
  made.show = "-r gpu --where \"kind = 'memset' OR op LIKE '%zero%'\"";
  return {made};
}

}  // namespace

void register_zeroing(Registry& registry) {
  registry.add({"zeroing", "memory that is set in each step", find});
}

}  // namespace prof::rules
