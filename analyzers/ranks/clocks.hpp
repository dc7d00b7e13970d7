// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How far the clocks of hosts differ: all ranks of a collective that ends together see the same
// instant. The median over many, and how it moves; what is left is their spread. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

struct HostClock {
  bool is_known = false;    ///< Collectives connect it with the first host.
  double offset_ns = 0;     ///< Ahead of the first host's clock, at `middle_ns`.
  double drift = 0;         ///< By how much that grows, per ns; 0: less than the spread.
  double spread_ns = 0;     ///< Spread of the estimates from single collectives.
  double middle_ns = 0;     ///< On the host's own clock.
  std::size_t samples = 0;  ///< Collectives.
};

/// By host, as in Run::hosts.
std::vector<HostClock> host_clocks(const JoinedRun& run);

}  // namespace prof::ranks
