// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule collectives: collectives that no computation hides, without waits for other ranks: what
// comes late cannot be hidden by starting it earlier here.
#include <algorithm>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

std::vector<Advice> find_collectives(const StepFacts& facts) {
  const auto state = static_cast<std::size_t>(DeviceState::kCollective);
  const double all = static_cast<double>(facts.step.state_ns[state]) / facts.step.count();
  const double waits = std::min(all, facts.standing.exposed_waits_ns);
  const double exposed = all - waits;
  if (exposed <= 0) return {};
  Advice made;
  made.what = "overlap collectives";
  made.evidence = in_ms(exposed) + " ms of collectives while nothing computes";
  if (waits > 0) made.evidence += ", without " + in_ms(waits) + " ms of waits for other ranks";
  if (facts.lacks_ranks) made.evidence += "; a wait for ranks without a trace, maybe";
  made.gain = {0.5 * exposed, exposed, exposed};
  made.show = "comm";
  return {made};
}

}  // namespace

void register_collectives(Registry& registry) {
  registry.add({"collectives", "collectives that no computation hides", find_collectives});
}

}  // namespace prof::rules
