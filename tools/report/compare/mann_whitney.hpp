// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The Mann-Whitney U test (Mann and Whitney 1947): are the values of one side larger than those of
// the other more often than chance makes them? It assumes nothing about their distribution.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace prof::reports {

/// Remembers distributions, which comparisons of as many values without ties share.
class MannWhitney {
 public:
  /// The two-sided p-value. Exact for up to kExact values on both sides together, with ties, too
  /// (Streitberg and Röhmel 1986); beyond, by the normal approximation with corrections for ties
  /// and continuity (Lehmann 1975). 1 if a side has no values.
  double p_value(std::span<const double> a, std::span<const double> b);

  /// The smallest p-value that so many values can give.
  double smallest(std::size_t a, std::size_t b);

  static constexpr std::size_t kExact = 30;

 private:
  /// Doubled ranks, which are whole numbers where ties share a rank, and the size of a side.
  using Ranks = std::pair<std::vector<int>, std::size_t>;
  double exact(const Ranks& ranks, int sum_of_a);

  /// How likely each sum of a side's ranks is.
  std::map<Ranks, std::vector<double>> distributions_;
};

}  // namespace prof::reports
