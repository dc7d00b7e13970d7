// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The usual step of each rank, and the measures by which a rank is unlike the others. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "analyzers/ranks/rank_summary.hpp"

namespace prof::ranks {

using StepNumber = std::optional<std::int64_t>;
using StepNumbers = std::set<StepNumber>;

/// Those that reports describe (analyzers/steps/steady_steps.hpp).
StepNumbers steady_steps(const RankSummary& summary);

/// Averages over the steady steps, as report `summary` states them: the median period, and means of
/// all else.
struct UsualStep {
  std::size_t steps = 0;  ///< 0: the rank has no steady step, and all else is 0.
  double period_ns = 0;
  double mean_period_ns = 0;
  std::array<double, kDeviceStates> state_ns{};  ///< By DeviceState; the sum is the mean period.
  double flops = 0, product_ns = 0;
  std::optional<double> sm_mhz = {}, memory_bytes = {};  ///< As RankSummary has them.

  [[nodiscard]] double in(DeviceState state) const {
    return state_ns[static_cast<std::size_t>(state)];
  }
  /// The share of the mean period.
  [[nodiscard]] double of_period(double time_ns) const {
    return mean_period_ns > 0 ? time_ns / mean_period_ns : 0;
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

/// For each rank's step, the measures that differ from the others' by more than those differ among
/// themselves, if that is so for few; nothing for fewer than four.
std::vector<std::vector<Unusual>> find_unusual(std::span<const UsualStep> steps);

}  // namespace prof::ranks
