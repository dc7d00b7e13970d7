// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CostShares: gives one cost to several rows in proportion to their weights, in whole numbers that
// add up exactly. All rows are added before the first one takes its share. A value.
#pragma once

#include <cstdint>

#include "analyzers/attribution.hpp"

namespace prof {

/// Which of an instance's rows carry its cost: those of the first rank present.
enum class Rank : std::uint8_t { kProduct, kMain, kHelper, kCopy };
inline constexpr std::size_t kRanks = 4;

/// One row's share of its instance's cost.
struct CostShare {
  bool main = true;
  double share = 0;
  Quantities cost;
  Part part = Part::kNone;    ///< The gradient that the row computes, if the op computes several.
  bool is_estimated = false;  ///< Regardless of the cost's own basis.
};

/// 0 of each quantity that is known.
Quantities nothing_of(const Quantities& cost);

class CostShares {
 public:
  void add(std::int64_t weight);
  [[nodiscard]] bool empty() const { return added_.rows == 0; }
  [[nodiscard]] bool is_shared() const { return added_.rows > 1; }

  /// The next row's share of `cost`, which is the same for all rows.
  CostShare take(const Quantities& cost, std::int64_t weight);

 private:
  struct Sum {
    std::uint64_t rows = 0;
    std::uint64_t weight = 0;

    void add(std::int64_t more) {
      ++rows;
      weight += more > 0 ? static_cast<std::uint64_t>(more) : 0;
    }
  };

  Sum added_, taken_;
  double taken_share_ = 0;
  PerQuantity<double> taken_cost_;
};

}  // namespace prof
