// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The change that all groups of a GPU have in common: a warmer GPU has lower clocks, and everything
// takes longer by some percent. It is reported once, and taken out before single groups are
// compared. Times are logarithms here, so that a ratio is a difference.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace prof::reports {

/// The steps' times of one group, a span for each capture of a side; empty: it is not there.
struct MatchedTimes {
  std::vector<std::span<const double>> base, fresh;
  bool is_collective = false;  ///< Links and other ranks do not follow this GPU's clocks.
};

struct CommonShift {
  /// Shift of each capture from the median of the base's captures.
  std::vector<double> base, fresh;
  double shift = 0;        ///< Shift of the new side from the base.
  std::size_t groups = 0;  ///< Number of groups whose median it is.
  /// By how much the clocks' samples say that everything is slower; absent: there are too few.
  std::optional<double> by_clocks = std::nullopt;

  /// The rest of a group's difference. Work that waits for memory does not follow the clocks of the
  /// multiprocessors: all between no shift and that of the clocks is common. Nor do collectives
  /// follow them.
  [[nodiscard]] double beyond(double difference, bool is_collective = false) const;
};

/// The median of the ratios of the groups; of those from 1 us on, if there are some, because the
/// times of shorter ones move in ticks of the GPU's clock.
CommonShift common_shift(std::span<const MatchedTimes> groups,
                         const std::optional<double>& by_clocks);

/// The logarithm of the median; of no steps absent.
std::optional<double> log_median(std::span<const double> steps);

}  // namespace prof::reports
