// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CostShares: gives one cost to several rows in proportion to their weights, in whole numbers that
// add up exactly. A value.
#pragma once

#include <cstdint>

#include "analyzers/model/attribution.hpp"

namespace prof {

/// The rows of an instance that carry its cost are those of the first role present.
enum class WorkRole : std::uint8_t { kProduct, kMain, kHelper, kCopy };
inline constexpr std::size_t kWorkRoles = 4;

/// One row's share of its instance's cost.
struct CostShare {
  bool main = true;
  double share = 0;
  Quantities cost = {};
  Part part = Part::kNone;    ///< The gradient that the row computes, if the op computes several.
  bool is_estimated = false;  ///< Regardless of the cost's own basis.
};

/// 0 of each quantity that is known.
Quantities nothing_of(const Quantities& cost);
/// The cost of a row that does not share it: no FLOPs and no bytes, also where those of the others
/// are not known.
Quantities none_beside(const Quantities& cost);

/// Rows and their weights together.
struct RowSum {
  std::uint64_t rows = 0;
  std::uint64_t weight = 0;

  void add(std::int64_t more) {
    ++rows;
    weight += more > 0 ? static_cast<std::uint64_t>(more) : 0;
  }
};

class CostShares {
 public:
  /// The next row's share of `cost`. `all` rows share it; these two are the same for each of them.
  CostShare take(const Quantities& cost, const RowSum& all, std::int64_t weight);

 private:
  RowSum taken_;
  double taken_share_ = 0;
  PerQuantity<double> taken_cost_;
};

}  // namespace prof
