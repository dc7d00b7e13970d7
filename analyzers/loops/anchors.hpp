// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// find_anchors: launches that come again at about equal distances, which is what a loop's do.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/loops/sequence.hpp"

namespace prof::loops {

/// Fewer turns may be a coincidence.
inline constexpr std::size_t kLeastTurns = 3;
/// Distances of an anchor, and lengths of a loop's turns, differ by at most that part.
inline constexpr double kNear = 0.35;

struct Anchor {
  std::uint32_t period = 0;           ///< The median distance, in launches.
  std::vector<std::uint32_t> places;  ///< Where it is launched, ascending.
};

/// A symbol, or three of them in a row, is an anchor. Returns those that explain most launches,
/// best first: one for each period and number of places, and no more than it takes.
std::vector<Anchor> find_anchors(const Sequence& sequence);

}  // namespace prof::loops
