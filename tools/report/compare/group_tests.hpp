// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether groups of work take another time on the new side, beyond what all have in common. Two
// questions, and a change has to pass both (an intersection-union test, Berger 1982), so its
// p-value is the larger one:
// - do the steps differ? Mann-Whitney over blocks of steps, the common shift taken out;
// - do the captures differ? The difference over its deviation, by Student's t. The deviation counts
//   what the steps of a capture do not show: how much captures of one program differ. With several
//   captures on a side it is estimated from these, else from the other groups of the two captures.
// docs/diff.md explains them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tools/report/compare/common_shift.hpp"
#include "tools/report/compare/mann_whitney.hpp"

namespace prof::reports {

struct GroupTest {
  double base_ns = 0, fresh_ns = 0;  ///< A step's time: the median of the captures' medians.
  double beyond = 0;                 ///< Its difference beyond the common shift, as a logarithm.
  double p_value = 1;                ///< Not corrected.
  bool is_large = false;  ///< The difference is at least 1 % and 1 us, on all captures of a side.
  bool is_long_enough = false;  ///< It takes 1 us on a side, so that it can differ by so much.
};

/// The tests of the groups of a GPU.
std::vector<GroupTest> test_groups(std::span<const MatchedTimes> groups, const CommonShift& shift,
                                   MannWhitney& steps_test);

}  // namespace prof::reports
