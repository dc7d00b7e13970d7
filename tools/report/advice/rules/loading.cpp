// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule loading: the host neither launches nor calls CUDA for a while, and the GPU is out of work:
// as a rule it waits for data.
#include <fmt/format.h>

#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

std::vector<Advice> find(const StepFacts& facts) {
  const double idle = facts.idle_ns(IdleCause::kHost);
  if (idle <= 0) return {};
  Advice made;
  made.what = "prepare data in other threads";
  made.evidence = fmt::format("{:.3g} ms idle: the host asks nothing of the GPU", idle / 1e6);
  made.gain = {0.6 * idle, 1.1 * idle};
  made.show = "-r gaps";
  return {made};
}

}  // namespace

void register_loading(Registry& registry) {
  registry.add({"loading", "steps that wait for data", find});
}

}  // namespace prof::rules
