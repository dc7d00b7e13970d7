// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/usual_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "libprof/base/statistics.hpp"

namespace prof::ranks {
namespace {

constexpr double kFarOff = 6;  // of the spread between the other ranks
constexpr std::size_t kLeastRanks = 4;
/// A property of more of the ranks is no exception: they do other work, as stages of a pipeline do.
constexpr std::size_t kMostOf = 4;  // one of so many

std::optional<double> known(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

constexpr std::array<Measure, 7> kMeasures = {{
    {"period", "ms", [](const UsualStep& s) { return known(s.period_ns / 1e6); }, 0, 0.05},
    {"computing", "%",
     [](const UsualStep& s) {
       return std::optional(100 * s.of_period(s.in(DeviceState::kComputing)));
     },
     3, 0.05},
    {"copying", "%",
     [](const UsualStep& s) {
       return std::optional(100 * s.of_period(s.in(DeviceState::kCopying)));
     },
     2, 0.05},
    {"exposed", "%",
     [](const UsualStep& s) {
       return std::optional(100 * s.of_period(s.in(DeviceState::kCollective)));
     },
     3, 0.05},
    {"idle", "%",
     [](const UsualStep& s) { return std::optional(100 * s.of_period(s.in(DeviceState::kIdle))); },
     3, 0.05},
    {"SM clock", "MHz", [](const UsualStep& s) { return s.sm_mhz; }, 0, 0.02},
    {"memory", "GB",
     [](const UsualStep& s) -> std::optional<double> {
       if (!s.memory_bytes) return std::nullopt;
       return *s.memory_bytes / 1e9;
     },
     0.5, 0.05},
}};

/// The values of one measure, and whose they are.
struct Compared {
  std::vector<double> values;
  std::vector<std::size_t> owners;
};

Compared compared(const Measure& measure, std::span<const UsualStep> steps) {
  Compared made;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::optional<double> value = steps[i].steps > 0 ? measure.of(steps[i]) : std::nullopt;
    if (!value) continue;
    made.values.push_back(*value);
    made.owners.push_back(i);
  }
  return made;
}

}  // namespace

std::span<const Measure> measures() { return kMeasures; }

StepNumbers steady_steps(const RankSummary& summary) {
  StepNumbers steady;
  for (const RankStep& step : summary.steps) {
    if (step.is_steady) steady.insert(step.step);
  }
  return steady;
}

UsualStep usual_step(const RankSummary& summary) {
  UsualStep made;
  made.sm_mhz = summary.sm_mhz;
  made.memory_bytes = summary.memory_bytes;
  std::vector<std::int64_t> periods;
  for (const RankStep& step : summary.steps) {
    if (!step.is_steady) continue;
    periods.push_back(step.period_ns());
    for (std::size_t i = 0; i < kDeviceStates; ++i) {
      made.state_ns[i] += static_cast<double>(step.state_ns[i]);
    }
    made.flops += step.flops;
    made.product_ns += step.product_ns;
  }
  if (periods.empty()) return made;
  made.steps = periods.size();
  made.period_ns = median(periods);
  const auto count = static_cast<double>(made.steps);
  made.mean_period_ns = std::reduce(periods.begin(), periods.end(), 0.0) / count;
  for (double& time : made.state_ns) time /= count;
  made.flops /= count;
  made.product_ns /= count;
  return made;
}

std::vector<std::vector<Unusual>> find_unusual(std::span<const UsualStep> steps) {
  std::vector<std::vector<Unusual>> found(steps.size());
  for (const Measure& measure : kMeasures) {
    const Compared all = compared(measure, steps);
    if (all.values.size() < kLeastRanks) continue;
    std::vector<std::pair<std::size_t, Unusual>> unusual;
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      std::vector<double> others = all.values;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const double middle = median(others);
      const double usual = std::max({kFarOff * spread_about(others, middle), measure.floor,
                                     measure.floor_part * std::abs(middle)});
      if (std::abs(all.values[i] - middle) <= usual) continue;
      unusual.emplace_back(all.owners[i], Unusual{&measure, all.values[i], middle});
    }
    if (unusual.size() * kMostOf > all.values.size()) continue;
    for (const auto& [owner, what] : unusual) found[owner].push_back(what);
  }
  return found;
}

}  // namespace prof::ranks
