// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step of each rank is like, and in what a rank is unlike the others. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "analyzers/ranks/rank_summary.hpp"

namespace prof::ranks {

using StepNumbers = std::set<std::optional<std::int64_t>>;

/// Without those that take much longer than usual: of a program that starts, and where something
/// else ran.
StepNumbers steady_steps(const RankSummary& summary);

/// Medians over the steady steps.
struct UsualStep {
  std::size_t steps = 0;  ///< 0: the rank has no work, and all else is 0.
  double period_ns = 0;   ///< Of steps that another follows; of a single one how long it takes.
  double kernels_ns = 0, copies_ns = 0, idle_ns = 0, exposed_ns = 0;  ///< As RankStep has them.
  double flops = 0, product_ns = 0;
  std::optional<double> sm_mhz = {}, memory_bytes = {};  ///< As RankSummary has them.

  [[nodiscard]] double of_period(double time_ns) const {
    return period_ns > 0 ? time_ns / period_ns : 0;
  }
};
UsualStep usual_step(const RankSummary& summary);

/// In what ranks are compared.
struct Measure {
  std::string_view word;                               ///< "idle".
  std::string_view unit;                               ///< "%", "ms", "MHz", "GB".
  std::optional<double> (*of)(const UsualStep& step);  ///< In that unit; absent: unknown.
  double floor = 0;                                    ///< Differences below are usual.
  double floor_part = 0;                               ///< Likewise, as a part of the median.
};
std::span<const Measure> measures();

struct Unusual {
  const Measure* measure = nullptr;
  double own = 0, others = 0;  ///< `others`: the median.
};

/// Of each, what differs from the others by more than they differ among themselves, if that is so
/// for few; nothing of fewer than four.
std::vector<std::vector<Unusual>> find_unusual(std::span<const UsualStep> steps);

}  // namespace prof::ranks
