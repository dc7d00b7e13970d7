// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace prof::reports {
namespace {

constexpr std::size_t kMaxDistributions = 1000;

struct Ranked {
  std::vector<int> doubled;  ///< Of all values in their order.
  int sum_of_a = 0;
  double ties = 0;  ///< Sum of t^3 - t over groups of t equal values.
};

/// Equal values share the mean of their ranks.
Ranked ranks_of(std::span<const double> a, std::span<const double> b) {
  std::vector<std::pair<double, bool>> values;  // value, is of a
  values.reserve(a.size() + b.size());
  for (const double value : a) values.emplace_back(value, true);
  for (const double value : b) values.emplace_back(value, false);
  std::ranges::sort(values);
  Ranked ranked;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    while (end < values.size() && values[end].first == values[begin].first) ++end;
    const int doubled = static_cast<int>(begin + end + 1);
    for (std::size_t i = begin; i < end; ++i) {
      ranked.doubled.push_back(doubled);
      if (values[i].second) ranked.sum_of_a += doubled;
    }
    const auto equal = static_cast<double>(end - begin);
    ranked.ties += equal * equal * equal - equal;
  }
  return ranked;
}

/// Of every way to pick `picked` of the ranks: how likely each sum is. The shift algorithm of
/// Streitberg and Röhmel: each rank is picked or not.
std::vector<double> distribution_of(const std::vector<int>& ranks, std::size_t picked) {
  const auto all = static_cast<std::size_t>(std::accumulate(ranks.begin(), ranks.end(), 0));
  std::vector<std::vector<double>> ways(picked + 1, std::vector<double>(all + 1));
  ways[0][0] = 1;
  for (const int rank : ranks) {
    const auto by = static_cast<std::size_t>(rank);
    for (std::size_t count = picked; count > 0; --count) {
      for (std::size_t sum = all; sum >= by; --sum) ways[count][sum] += ways[count - 1][sum - by];
    }
  }
  std::vector<double>& found = ways[picked];
  const double total = std::accumulate(found.begin(), found.end(), 0.0);
  for (double& way : found) way /= total;
  return std::move(found);
}

double approximate(double u, double a, double b, double ties) {
  const double n = a + b;
  const double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(u - a * b / 2) - 0.5);
  return std::erfc(distance / std::sqrt(variance) / std::numbers::sqrt2);
}

}  // namespace

double MannWhitney::p_value(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return 1;
  Ranked ranked = ranks_of(a, b);
  if (a.size() + b.size() <= kExact) {
    return exact({std::move(ranked.doubled), a.size()}, ranked.sum_of_a);
  }
  const auto size = static_cast<double>(a.size());
  const double u = ranked.sum_of_a / 2.0 - size * (size + 1) / 2;
  return approximate(u, size, static_cast<double>(b.size()), ranked.ties);
}

double MannWhitney::exact(const Ranks& ranks, int sum_of_a) {
  // Each set of values with ties may have a distribution of its own.
  if (distributions_.size() >= kMaxDistributions) distributions_.clear();
  const auto [at, is_new] = distributions_.try_emplace(ranks);
  if (is_new) at->second = distribution_of(ranks.first, ranks.second);
  const int all = std::accumulate(ranks.first.begin(), ranks.first.end(), 0);
  const double middle = static_cast<double>(all) * static_cast<double>(ranks.second) /
                        static_cast<double>(ranks.first.size());
  const double distance = std::abs(sum_of_a - middle);
  double p = 0;
  for (std::size_t sum = 0; sum < at->second.size(); ++sum) {
    // Sums are whole, the middle may be rounded.
    if (std::abs(static_cast<double>(sum) - middle) > distance - 1e-6) p += at->second[sum];
  }
  return std::min(1.0, p);
}

double MannWhitney::smallest(std::size_t a, std::size_t b) {
  std::vector<double> low(a), high(b);
  std::iota(low.begin(), low.end(), 0.0);
  std::iota(high.begin(), high.end(), static_cast<double>(a));
  return p_value(low, high);
}

}  // namespace prof::reports
