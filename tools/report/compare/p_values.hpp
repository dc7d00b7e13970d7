// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How likely chance makes what was seen: of one difference, and of many together.
#pragma once

#include <span>
#include <vector>

namespace prof::reports {

/// The two-sided p-value of `t` by Student's distribution, which allows for a deviation that is
/// estimated itself.
double p_of_t(double t, double freedom);

/// Corrected p-values of many tests, in the same order (Holm 1979): with them, the chance of even
/// one false finding among all is no more than the level, whatever depends on what.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace prof::reports
