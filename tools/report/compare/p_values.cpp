// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/p_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prof::reports {

namespace {

/// The continued fraction of the incomplete beta function (DLMF 8.17.22), by the method of Lentz.
/// It converges within about 20 steps for x below (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr int kMaxSteps = 500;
  constexpr double kTiny = 1e-300, kEnough = 1e-15;
  const auto nonzero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m < kMaxSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 / nonzero(1 + term * d);
      c = nonzero(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (std::abs(step - 1) < kEnough) break;
  }
  return fraction;
}

/// The regularized incomplete beta function.
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(1 - x, b, a);
  const double log_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  const double front = std::exp(a * std::log(x) + b * std::log1p(-x) - log_beta);
  return front * beta_fraction(x, a, b) / a;
}

}  // namespace

double p_of_t(double t, double freedom) {
  return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> corrected(p_values.size());
  double largest = 0;  // a corrected value is never below one that was smaller before
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto tests_left = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, tests_left * p_values[order[rank]]));
    corrected[order[rank]] = largest;
  }
  return corrected;
}

}  // namespace prof::reports
