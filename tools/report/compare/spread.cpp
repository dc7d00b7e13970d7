// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/spread.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libprof/base/statistics.hpp"

namespace prof::reports {
namespace {

constexpr double kMedianOfNormal = 0.6744897501960817;  // of |z|
constexpr int kHalvings = 60;

double typical_z(std::span<const Difference> differences, double extra) {
  std::vector<double> z;
  z.reserve(differences.size());
  for (const Difference& one : differences) {
    const double deviation = std::sqrt(one.variance + one.weight * extra);
    const double none = one.value == 0 ? 0.0 : std::numeric_limits<double>::infinity();
    z.push_back(deviation > 0 ? std::abs(one.value) / deviation : none);
  }
  return median(z);
}

}  // namespace

double extra_variance(std::span<const Difference> differences) {
  if (differences.empty() || typical_z(differences, 0) <= kMedianOfNormal) return 0;
  double high = 0;
  for (const Difference& one : differences) {
    high = std::max(high, one.value * one.value / one.weight);
  }
  high /= kMedianOfNormal * kMedianOfNormal;  // enough for the largest
  double low = 0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (typical_z(differences, middle) > kMedianOfNormal ? low : high) = middle;
  }
  return high;
}

}  // namespace prof::reports
