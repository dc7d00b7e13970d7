// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Student's t distribution, which allows for a deviation that is estimated itself.
#pragma once

#include <cmath>
#include <numbers>

namespace prof::reports {

/// The two-sided p-value of `t`, by the approximation of Wallace (1959). It is never too small:
/// with 5 degrees of freedom by 3 % too large at 0.01, by 12 % at 0.0005; with more of them by
/// less.
inline double p_of_t(double t, double freedom) {
  const double z =
      (8 * freedom + 1) / (8 * freedom + 3) * std::sqrt(freedom * std::log1p(t * t / freedom));
  return std::erfc(z / std::numbers::sqrt2);
}

}  // namespace prof::reports
