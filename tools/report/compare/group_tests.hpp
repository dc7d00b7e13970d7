// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether groups of work take another time on the new side, beyond what all have in common: the
// difference over its deviation, by Student's t. The deviation counts how much steps vary
// (step_variance.hpp), and what the steps of a capture do not show: how much captures of one
// program differ. With several captures on a side that is estimated from these, else from the other
// groups of the two captures. docs/diff.md explains it.
#pragma once

#include <span>
#include <vector>

#include "tools/report/compare/common_shift.hpp"

namespace prof::reports {

struct GroupTest {
  double base_ns = 0, fresh_ns = 0;  ///< A step's time: the median of the captures' medians.
  double beyond = 0;                 ///< Its difference beyond the common shift, as a logarithm.
  double p_value = 1;                ///< Not corrected.
  bool is_large = false;  ///< The difference is at least 1 % and 1 us, on all captures of a side.
  bool is_long_enough = false;  ///< It takes 1 us on a side, so that it can differ by so much.
  /// The variance of the difference, and how well it is known.
  double of_steps = 0, of_captures = 0, freedom = 0;

  /// The p-value of the same difference with more steps: `steps` in all.
  [[nodiscard]] double p_with(double times_as_many, double steps) const;
};

/// The tests of the groups of a GPU.
std::vector<GroupTest> test_groups(std::span<const MatchedTimes> groups, const CommonShift& shift);

}  // namespace prof::reports
