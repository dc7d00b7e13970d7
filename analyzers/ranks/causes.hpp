// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a rank is late: what it does by itself in each step, place by place, against what the other
// ranks do in the same place. A cause is named only where the difference exceeds what chance
// explains: the spread over the steps, that between the other ranks, and a floor. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzers/ranks/join.hpp"

namespace prof::ranks {

enum class CauseKind : std::uint8_t {
  kHost,    ///< The GPU has nothing to do until the host launches.
  kWork,    ///< Its kernels take longer, or there are more of them.
  kSizes,   ///< Its kernels take longer because they have more to do.
  kCopy,    ///< Copies or sets take longer.
  kClocks,  ///< All kernels take longer alike.
  kLink,    ///< Its transfers take longer than those of others (slow_link.hpp).
};
std::string_view name(CauseKind kind);  ///< "host", "work", "sizes", "copy", "clocks", "link".

/// Times are those of a step: medians over the steps.
struct Cause {
  CauseKind kind = CauseKind::kHost;
  Place place;              ///< If there are several places, the one with the largest excess.
  std::size_t places = 1;   ///< Number of places that are added up.
  bool is_of_host = false;  ///< For a link: it connects the rank's host to others.
  double excess_ns = 0;     ///< Above the median of the other ranks.
  double own_ns = 0, others_ns = 0;
  double own_amount = 0, others_amount = 0;  ///< For a kernel, as Piece::amount; 0: not known.
  std::size_t steps = 0;                     ///< Number of steps that were compared.
};

/// The causes of each rank of the run, the largest first; no links.
std::vector<std::vector<Cause>> find_causes(const JoinedRun& run);

}  // namespace prof::ranks
