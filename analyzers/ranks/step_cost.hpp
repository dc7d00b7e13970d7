// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The cost of a slow rank: how much longer a step takes than if the rank needed no longer than the
// others, from one collective to the next. A replay of the run says so (replay.hpp), whether the
// others wait in sight or behind their own work. An estimate: other ranks' work is not that of the
// rank, and runs beside other collectives. Pure.
#pragma once

#include <optional>
#include <vector>

#include "analyzers/ranks/causes.hpp"
#include "analyzers/ranks/join.hpp"
#include "analyzers/ranks/slow_link.hpp"

namespace prof::ranks {

/// Costs in a step; 0: nothing that exceeds noise and 1 % of a step. The cost is taken with the
/// other slow ranks mended, if that is more than alone: of two that are equally slow, either alone
/// costs nothing.
struct StepCosts {
  std::vector<double> of_ranks_ns;  ///< Each with its link, if that is slow.
  double of_link_ns = 0;
};

/// `causes`: of each rank, as find_causes has them, of ranks that have no like. `link`: if its
/// transfers took as long as those of others.
StepCosts step_costs(const JoinedRun& run, const std::vector<std::vector<Cause>>& causes,
                     const std::optional<SlowLink>& link, double period_ns);

}  // namespace prof::ranks
