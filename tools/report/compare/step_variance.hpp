// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How much the steps of a group of work vary. A few steps hardly show it; all the groups of a GPU
// do. So a group's variance is moderated (Smyth 2004): its own, and that which is typical of groups
// that take about as long, as if from a few more steps. Typical is a median, so that groups which
// vary for a reason of their own do not count.
#pragma once

#include <span>
#include <vector>

namespace prof::reports {

/// Logarithms of one group's times, from the mean of their capture.
struct StepSpread {
  double log_ns = 0;   ///< How long the group takes.
  double squares = 0;  ///< Sum of the squared distances.
  double freedom = 0;  ///< Degrees of freedom: the steps less the captures.

  void add(std::span<const double> steps);
};

/// The variance of a step, of each group.
std::vector<double> moderated_variances(std::span<const StepSpread> groups);

}  // namespace prof::reports
