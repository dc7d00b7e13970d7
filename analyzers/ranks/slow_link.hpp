// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A slow link: all ranks of a collective see its transfer alike, so one communicator does not show
// whose link it is. Several do: if those that need longer than others of their kind have one rank
// in common, or the ranks of one host, and all other ranks are in others that do not. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/ranks/causes.hpp"
#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

struct SlowLink {
  std::uint32_t rank = 0;  ///< Index in Run::ranks; for a host, its rank that loses most.
  Cause cause;             ///< The place is the one with the largest excess of the rank.
  /// The indices in JoinedRun::collectives of those that need it, and how much longer they take
  /// than others.
  std::vector<std::pair<std::uint32_t, double>> excess_ns;
};

/// Nullopt: no link is slow, or its owner is ambiguous.
std::optional<SlowLink> find_slow_link(const JoinedRun& run, double period_ns);

}  // namespace prof::ranks
