// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// find_kinds: steps of equal work that take turns in taking one time or another. A data loader of
// four workers that is too slow stalls every fourth step: neither time is the step's, nor are the
// fast steps a program that has warmed up. Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof {

/// Periods are near if the shorter one is at least that part of the longer one.
constexpr bool are_near(double one_ns, double other_ns) {
  return std::min(one_ns, other_ns) >= 0.75 * std::max(one_ns, other_ns);
}

struct StepKind {
  std::size_t steps = 0;
  std::int64_t shortest_ns = 0, longest_ns = 0;

  [[nodiscard]] bool has(std::int64_t period_ns) const {
    return shortest_ns <= period_ns && period_ns <= longest_ns;
  }
};

struct StepKinds {
  std::size_t begin = 0;        ///< Periods before that one warm up.
  std::vector<StepKind> kinds;  ///< By time. Empty: there are not two kinds.
};

/// Of periods in order of time. Two kinds are near to no other, have three steps or more and a
/// tenth of them all, and come about as often in the later half as in the earlier one.
StepKinds find_kinds(const std::vector<std::int64_t>& periods_ns);

}  // namespace prof
