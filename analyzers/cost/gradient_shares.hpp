// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GradientShares: shares the cost of each gradient that an op computes among the rows that compute
// it. All rows are added before the first one takes its share. A value.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "analyzers/cost/cost_shares.hpp"
#include "analyzers/cost/gradient_rows.hpp"

namespace prof {

class GradientShares {
 public:
  explicit GradientShares(std::shared_ptr<const GradientAttributions> gradients)
      : gradients_(std::move(gradients)) {}

  /// As GradientRows::add().
  void add(WorkRole role, std::int64_t weight, const KernelFacts* kernel) {
    rows_.add(role, weight, kernel, *gradients_);
  }

  /// Call once, after all rows have been added; `payer` as in GradientRows::resolve().
  void settle(WorkRole payer);
  [[nodiscard]] bool is_settled() const { return is_settled_; }
  /// It is known which row computes what; otherwise the rows share the whole op's cost.
  [[nodiscard]] bool is_known() const { return !parts_.empty(); }

  /// The next row's share, in the order of add(). Not main: the row computes no gradient, and its
  /// cost is left out.
  CostShare take(std::int64_t weight);

 private:
  std::shared_ptr<const GradientAttributions> gradients_;
  GradientRows rows_;
  std::vector<Part> parts_;  // of the rows
  std::size_t taken_ = 0;    // rows that have taken their share
  bool is_settled_ = false;
  std::array<RowSum, GradientAttributions::kParts> sums_;
  std::array<CostShares, GradientAttributions::kParts> shares_;
};

}  // namespace prof
