// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Correction of p-values of many tests (Holm 1979): with it, the chance of even one false finding
// among all of them is no more than the level, whatever depends on what.
#pragma once

#include <span>
#include <vector>

namespace prof::reports {

/// The corrected p-values, in the same order.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace prof::reports
