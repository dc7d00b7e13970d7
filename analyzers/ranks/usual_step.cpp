// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/usual_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analyzers/ranks/robust.hpp"

namespace prof::ranks {
namespace {

constexpr double kSteady = 1.5;  // of the median period
constexpr double kFarOff = 6;    // of the spread between the other ranks
constexpr std::size_t kLeastRanks = 4;
/// What more of the ranks have is no exception: they do other work, as stages of a pipeline do.
constexpr std::size_t kMostOf = 4;  // one of so many

/// As for the steps of one GPU (docs/conventions.md, Steps and time).
constexpr double kNear = 0.75;
bool is_near(double one_ns, double other_ns) {
  return std::min(one_ns, other_ns) >= kNear * std::max(one_ns, other_ns);
}

double period_of(const RankStep& step) { return static_cast<double>(step.end_ns - step.begin_ns); }

std::optional<double> known(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

constexpr std::array<Measure, 7> kMeasures = {{
    {"period", "ms", [](const UsualStep& s) { return known(s.period_ns / 1e6); }, 0, 0.05},
    {"computing", "%",
     [](const UsualStep& s) { return std::optional(100 * s.of_period(s.kernels_ns)); }, 3, 0.05},
    {"copying", "%",
     [](const UsualStep& s) { return std::optional(100 * s.of_period(s.copies_ns)); }, 2, 0.05},
    {"exposed", "%",
     [](const UsualStep& s) { return std::optional(100 * s.of_period(s.exposed_ns)); }, 3, 0.05},
    {"idle", "%", [](const UsualStep& s) { return std::optional(100 * s.of_period(s.idle_ns)); }, 3,
     0.05},
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
  const std::vector<RankStep>& steps = summary.steps;
  const auto median_from = [&](std::size_t first) {
    std::vector<double> periods;
    for (std::size_t i = first; i < steps.size(); ++i) periods.push_back(period_of(steps[i]));
    return periods.empty() ? 0 : median(periods);
  };
  std::size_t first = 0;  // that does not warm up
  while (first + 1 < steps.size() && !is_near(period_of(steps[first]), median_from(first + 1))) {
    ++first;
  }
  const double most = kSteady * median_from(first);
  StepNumbers steady;
  for (std::size_t i = first; i < steps.size(); ++i) {
    if (period_of(steps[i]) <= most) steady.insert(steps[i].step);
  }
  return steady;
}

UsualStep usual_step(const RankSummary& summary) {
  const StepNumbers steady = steady_steps(summary);
  std::vector<const RankStep*> chosen;
  std::vector<double> periods;
  for (const RankStep& step : summary.steps) {
    if (!steady.contains(step.step)) continue;
    chosen.push_back(&step);
    if (step.is_whole || summary.steps.size() == 1) periods.push_back(period_of(step));
  }
  UsualStep made{.steps = chosen.size()};
  made.sm_mhz = summary.sm_mhz;
  made.memory_bytes = summary.memory_bytes;
  if (chosen.empty()) return made;
  const auto middle = [&](auto RankStep::*field) {
    std::vector<double> values;
    for (const RankStep* step : chosen) values.push_back(static_cast<double>(step->*field));
    return median(values);
  };
  made.period_ns = periods.empty() ? 0 : median(periods);
  made.kernels_ns = middle(&RankStep::kernels_ns);
  made.copies_ns = middle(&RankStep::copies_ns);
  made.idle_ns = middle(&RankStep::idle_ns);
  made.exposed_ns = middle(&RankStep::exposed_ns);
  made.flops = middle(&RankStep::flops);
  made.product_ns = middle(&RankStep::product_ns);
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
