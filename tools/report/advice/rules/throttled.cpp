// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule throttled: the clocks are held down during the steps, by heat, by the hardware, or by a
// power cap below the power that the board is built for. Work that the multiprocessors' clock
// limits would take less time by the ratio of the clocks. A GPU at its full power works as it
// should.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "libprof/base/statistics.hpp"
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// A sample may meet the one moment in a minute.
constexpr std::size_t kFewSamples = 3;
/// Work that takes longer than this many times its FLOPs at the peak waits for something else.
constexpr double kThrottledFar = 4;
/// Part of the gain at the highest clock: under full load that clock is not reached for long.
constexpr Efficiency kThrottledReached = {0.5, 1.0};
/// Part of the board's power that counts as all of it.
constexpr double kFullPower = 0.9;

/// Bits nvmlClocksEventReason*, the gravest first.
struct Cause {
  std::uint64_t bits;
  std::string_view what, by;
};
constexpr std::uint64_t kPowerCap = 0x04;
constexpr std::array<Cause, 3> kCauses = {
    {{0x20 | 0x40, "cool the GPU", "its temperature"},
     {0x08 | 0x80, "look into the GPU's power supply", "the hardware"},
     {kPowerCap, "raise the power cap", "a power cap"}}};

/// Board power in W of the data sheets that analyzers/devices/peaks.inc names.
struct Board {
  std::string_view name;
  double power_w;
};
constexpr Board kBoards[] = {{"V100-SXM2-16GB", 300},
                             {"V100-SXM2-32GB", 300},
                             {"T4", 70},
                             {"A100-SXM4-40GB", 400},
                             {"A100-SXM4-80GB", 400},
                             {"A100-PCIE-40GB", 250},
                             {"A100 80GB PCIe", 300},
                             {"A30", 165},
                             {"A10", 150},
                             {"A40", 300},
                             {"L4", 72},
                             {"L40", 300},
                             {"L40S", 350},
                             {"H100 80GB HBM3", 700},
                             {"H100 PCIe", 350},
                             {"H200", 700},
                             {"H200 NVL", 600},
                             {"B200", 1000}};

/// 0: not known.
double board_power_w(std::string_view name) {
  for (const std::string_view brand : {"NVIDIA ", "Tesla "}) {
    if (name.starts_with(brand)) name.remove_prefix(brand.size());
  }
  const auto* const found = std::ranges::find(kBoards, name, &Board::name);
  return found == std::end(kBoards) ? 0 : found->power_w;
}

struct Held {
  std::vector<double> clocks_mhz, power_w;
  double lower = 0;  ///< The sum of how far below the highest clock each is, as a share of it.
};

Held held_by(const StepFacts& facts, const Cause& cause, std::uint64_t graver) {
  const double highest = facts.device.core_clock_khz / 1e3;
  Held held;
  for (const DeviceClocks::Sample& sample : facts.clocks) {
    const bool is_held = (sample.reasons & cause.bits) != 0 && (sample.reasons & graver) == 0;
    if (!is_held || !sample.sm_mhz || *sample.sm_mhz >= highest) continue;
    held.clocks_mhz.push_back(*sample.sm_mhz);
    if (sample.power_mw) held.power_w.push_back(*sample.power_mw / 1e3);
    held.lower += 1 - *sample.sm_mhz / highest;
  }
  return held;
}

/// The cap is lower than it has to be.
bool is_below_the_board(const StepFacts& facts, Held& held) {
  const double board_w = board_power_w(facts.device.name);
  return board_w > 0 && !held.power_w.empty() && median(held.power_w) < kFullPower * board_w;
}

std::vector<Advice> find_throttled(const StepFacts& facts) {
  WorkTime follows;
  for (const WorkGroup& group : facts.groups) {
    const bool is_near =
        group.compute_ns > 0 && group.computed_ns < kThrottledFar * group.compute_ns;
    if (is_near && group.compute_ns >= group.memory_ns) follows.add(group);
  }
  std::vector<Advice> found;
  std::uint64_t graver = 0;
  for (const Cause& cause : kCauses) {
    Held held = held_by(facts, cause, graver);
    graver |= cause.bits;
    if (held.clocks_mhz.size() < kFewSamples) continue;
    if (cause.bits == kPowerCap && !is_below_the_board(facts, held)) continue;
    Advice made;
    made.what = cause.what;
    made.evidence = fmt::format(
        "{:.0f} of {:.0f} MHz by {} in {} of {} samples; {}", median(held.clocks_mhz),
        facts.device.core_clock_khz / 1e3, cause.by, held.clocks_mhz.size(), facts.clocks.size(),
        time_in(facts, follows, "kernel bound by computing", "kernels bound by computing"));
    const double less = follows.gpu_ns * held.lower / static_cast<double>(facts.clocks.size());
    made.gain = facts.gain({kThrottledReached.low * less, kThrottledReached.high * less}, 0);
    made.show = "clocks";
    made.shows_all_steps = true;
    found.push_back(std::move(made));
  }
  return found;
}

}  // namespace

void register_throttled(Registry& registry) {
  registry.add({"throttled", "clocks that are held down in steps", find_throttled});
}

}  // namespace prof::rules
