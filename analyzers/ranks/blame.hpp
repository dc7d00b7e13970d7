// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Blame: for which rank the others wait, and why that one is late. Waits count as far as no
// computing hides them, and once where several collectives wait at the same time. A rank that comes
// last because it waited for a third itself passes the blame on. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyzers/ranks/causes.hpp"
#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

/// A rank's times in one step: means over the steps.
struct RankBlame {
  /// How much longer a step takes than if the rank needed no longer than the others; 0: nothing
  /// beyond chance (step_cost.hpp).
  double cost_ns = 0;
  double waits_ns = 0;  ///< Time in which it waits for others and computes nothing.
  /// Likewise, also for other stages of its pipeline, which nobody is to blame for.
  double exposed_waits_ns = 0;
  /// The others wait for it, in total, and the one that waits longest for it.
  double waited_for_ns = 0, longest_ns = 0;
  /// Share of its collectives in which it comes last; absent: it has only sends and receives.
  std::optional<double> last_pct = {};
  double idle_ns = 0;  ///< Time in which its GPU waits for the host: the median.
  std::vector<Cause> causes;
};

struct Blame {
  std::vector<RankBlame> ranks;  ///< By index in Run::ranks.
  /// [waiting rank] -> rank in whose favour, after the blame is passed on -> ns of a step.
  std::vector<std::map<std::uint32_t, double>> waits_for;
  /// Likewise, of sends and receives, before it is passed on.
  std::vector<std::map<std::uint32_t, double>> waits_for_peers;
  double period_ns = 0;  ///< Period of a step, the median over the ranks; 0: not known.
};

Blame find_blame(const JoinedRun& run);

}  // namespace prof::ranks
