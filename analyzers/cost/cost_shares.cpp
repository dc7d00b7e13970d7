// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/cost_shares.hpp"

#include <cmath>

namespace prof {
namespace {

void add_up_bytes(Quantities& cost) {
  if (cost.read && cost.written) cost.bytes = *cost.read + *cost.written;
}

/// The share of the only row, as most rows are.
CostShare whole(const Quantities& cost) {
  CostShare result{.share = 1, .cost = cost};
  add_up_bytes(result.cost);
  return result;
}

}  // namespace

Quantities nothing_of(const Quantities& cost) {
  Quantities nothing;
  for_each_quantity(
      [](const auto& whole, auto& mine) {
        if (whole) mine = 0;
      },
      cost, nothing);
  return nothing;
}

Quantities none_beside(const Quantities& cost) {
  Quantities none = nothing_of(cost);
  none.flops = none.bytes = none.read = none.written = 0;
  return none;
}

CostShare CostShares::take(const Quantities& cost, const RowSum& all, std::int64_t weight) {
  // The cost up to and including this row minus the cost before it, in whole numbers: the shares
  // add up exactly.
  taken_.add(weight);
  const bool is_last = taken_.rows >= all.rows;
  if (is_last && taken_.rows == 1) return whole(cost);
  double part = 1;
  if (!is_last) {
    part = all.weight > 0 ? static_cast<double>(taken_.weight) / static_cast<double>(all.weight)
                          : static_cast<double>(taken_.rows) / static_cast<double>(all.rows);
  }
  CostShare result;
  for_each_quantity(
      [&](const auto& whole, double& given, auto& mine) {
        if (!whole) return;
        const double up_to_here = is_last ? *whole : std::floor(part * *whole);
        mine = up_to_here - given;
        given = up_to_here;
      },
      cost, taken_cost_, result.cost);
  add_up_bytes(result.cost);
  result.share = part - taken_share_;
  taken_share_ = part;
  return result;
}

}  // namespace prof
