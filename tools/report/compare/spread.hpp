// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How much captures of the same program differ: a variance that belongs to captures, on top of the
// variance of the steps in them.
#pragma once

#include <span>

namespace prof::reports {

/// A difference whose true value is 0 in most cases.
struct Difference {
  double value = 0;
  double variance = 0;  ///< The known part of its variance: that from the steps.
  double weight = 1;    ///< How many times the sought variance counts in this difference.
};

/// The variance to add so that the differences are as large as their variances say: the moment
/// estimate of Paule and Mandel (1982), with the median of |value| / deviation in place of the mean
/// square, so that differences which are real do not count. 0 if the steps explain them.
double extra_variance(std::span<const Difference> differences);

}  // namespace prof::reports
