// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// find_loops: turns that launch about the same, one after the other. A few launches may differ
// from turn to turn, and other work may come between two turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzers/loops/sequence.hpp"

namespace prof::loops {

/// Two turns are of one kind if they share that part of their launches.
inline constexpr double kAlike = 0.6;

struct Loop {
  std::vector<Turn> turns;   ///< Each from one place of the anchor to the next.
  std::uint32_t period = 0;  ///< Launches of a turn: the median.
  double alike = 0;          ///< The part of its launches that a turn shares with the next: mean.
  double ordered = 0;        ///< The same for short runs of launches, whose order counts.
  std::size_t runs = 1;      ///< Of turns that follow each other at once.
  double score = 0;          ///< Launches that it explains, weighed by how well.

  [[nodiscard]] std::uint32_t begin() const { return turns.front().begin; }
  [[nodiscard]] std::uint32_t end() const { return turns.back().end; }
  [[nodiscard]] bool overlaps(const Loop& other) const {
    return begin() < other.end() && other.begin() < end();
  }
};

/// Best first.
std::vector<Loop> find_loops(const Sequence& sequence);

}  // namespace prof::loops
