// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule launch_bound: the GPU waits for launches. A CUDA graph launches a whole step at once; what
// is left is the GPU's own time, and a few microseconds between its kernels (docs/advice.md).
#include <fmt/format.h>

#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

std::vector<Advice> find(const StepFacts& facts) {
  double waits = 0;
  for (const IdleCause cause : {IdleCause::kLaunch, IdleCause::kGraph, IdleCause::kLoad}) {
    waits += facts.idle_ns(cause);
  }
  const double launches = static_cast<double>(facts.step.work.launches) / facts.step.count();
  if (launches < 2) return {};
  Advice made;
  made.what = "launch by CUDA graphs";
  made.evidence = fmt::format("the GPU waits for {:.0f} launches", launches);
  // A host that has less to do for each launch is not gone: it still prepares the data.
  made.gain = {0.55 * waits, waits};
  made.show = "-r gaps";
  return {made};
}

}  // namespace

void register_launch_bound(Registry& registry) {
  registry.add({"launch_bound", "the GPU waits for launches", find});
}

}  // namespace prof::rules
