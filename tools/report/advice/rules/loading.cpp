// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule loading: the host neither launches nor calls CUDA for a while, and the GPU is out of work:
// as a rule it waits for data.
#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// In a step. More are the program's own work between its ops.
constexpr double kMostStretches = 2;
/// Of one. Shorter ones are too.
constexpr double kLeastNs = 500'000;
/// A loop that waits for data does so in most steps. What happens in a few may be of the machine.
constexpr double kLeastSteps = 0.5;

std::vector<Advice> find_loading(const StepFacts& facts) {
  const double stretches = facts.idle_stretches(IdleCause::kHost);
  if (stretches > kMostStretches || facts.idle_steps(IdleCause::kHost) <= kLeastSteps) return {};
  if (facts.idle_ns(IdleCause::kHost) / stretches < kLeastNs) return {};
  return idle_advice(facts, IdleCause::kHost, "prepare data in other threads",
                     "the host asks nothing of the GPU");
}

}  // namespace

void register_loading(Registry& registry) {
  registry.add({"loading", "steps that wait for data", find_loading});
}

}  // namespace prof::rules
