// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule loading: the GPU is out of work while the host waits for data, in a data loader's range. A
// host that neither launches nor calls CUDA for long, once or twice in most steps, may do so, too,
// but nothing says it.
#include <string_view>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Stretches in a step. More are the program's own work between its ops.
constexpr double kMostStretches = 2;
/// Mean length of a stretch. Shorter ones are the program's own work, too.
constexpr double kLeastNs = 500'000;
/// A loop that waits for data does so in most steps. What happens in a few may be of the machine.
constexpr double kLeastSteps = 0.5;

bool waits_once(const StepFacts& facts, IdleCause cause) {
  const double stretches = facts.idle_stretches(cause);
  return stretches > 0 && stretches <= kMostStretches && facts.idle_steps(cause) > kLeastSteps &&
         facts.idle_ns(cause) / stretches >= kLeastNs;
}

std::vector<Advice> find_loading(const StepFacts& facts) {
  if (facts.idle_ns(IdleCause::kData) > 0) {
    return idle_advice(facts, IdleCause::kData, "prepare data in other threads",
                       "in the data loader");
  }
  constexpr std::string_view kWhat = "check pauses of the host";
  if (waits_once(facts, IdleCause::kSystem)) {
    return idle_advice(facts, IdleCause::kSystem, kWhat, "blocked in the operating system");
  }
  if (!waits_once(facts, IdleCause::kHost)) return {};
  return idle_advice(facts, IdleCause::kHost, kWhat, "not visible in the trace: data loading?");
}

}  // namespace

void register_loading(Registry& registry) {
  registry.add({"loading", "steps that wait for data", find_loading});
}

}  // namespace prof::rules
