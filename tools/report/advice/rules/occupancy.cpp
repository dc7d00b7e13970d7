// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule occupancy: kernels that wait for memory and hold too few warps to hide its latency. By
// Little's law a multiprocessor must have its share of the bandwidth times the latency in flight. A
// warp has a load of 16 bytes for each thread in flight, the widest there is. Kernels of products
// and attention hold few warps by design: they move data ahead of its use.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "libprof/base/count_text.hpp"
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Latency of the memory, unloaded: 466 cycles of an A100, 479 of an H100 (Luo et al., Benchmarking
/// and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking, 2024), at their clocks.
constexpr double kLatencyS = 300e-9;
constexpr double kBytesOfWarp = 32 * 16;
/// Part of the memory's peak: a kernel that reaches more does not wait for its latency.
constexpr double kOccupancyFar = 0.5;
/// Part of the memory's peak that a kernel with enough warps reaches.
constexpr double kOccupancyReached = 0.85;
/// A shorter kernel is mostly launch and drain.
constexpr double kShortNs = 5000;
/// Part of the difference that is gained at least: loads of one thread may already overlap.
constexpr double kOccupancyLeast = 0.5;

/// Warps of a multiprocessor that hide the memory's latency; 0: not known.
double needed_warps(const StepFacts& facts) {
  const auto peak = facts.peaks.bytes();
  if (!peak || facts.device.sm_count == 0) return 0;
  return peak->per_s * kLatencyS / facts.device.sm_count / kBytesOfWarp;
}

double warps(const devices::Occupancy& occupancy) {
  return occupancy.blocks_per_sm() * static_cast<double>(occupancy.warps_per_block);
}

bool waits_for_memory(const WorkGroup& group) {
  // Products hold few warps by design; collectives wait for links and for other GPUs.
  if (group.is_product || group.is_product_kernel || group.is_collective) return false;
  return group.gpu_ns >= kShortNs * group.count && group.memory_ns > 0 &&
         group.memory_ns >= group.compute_ns && group.memory_ns < kOccupancyFar * group.gpu_ns;
}

std::vector<Advice> find_occupancy(const StepFacts& facts) {
  const double needed = needed_warps(facts);
  WorkTime time;
  Gain gain;
  double memory = 0;
  const WorkGroup* worst = nullptr;
  std::vector<const WorkGroup*> found;
  std::vector<std::string> kernels;
  for (const WorkGroup& group : facts.groups) {
    const std::optional<devices::Occupancy>& occupancy = group.occupancy;
    // A grid that does not fill the GPU leaves room as it is.
    if (!occupancy || !group.fills_gpu || !waits_for_memory(group)) continue;
    const double held = warps(*occupancy);
    if (held >= needed) continue;
    const double then = std::max(group.gpu_ns * held / needed, group.memory_ns / kOccupancyReached);
    gain = gain + Gain{kOccupancyLeast * (group.gpu_ns - then), group.gpu_ns - then};
    time.add(group);
    memory += group.memory_ns;
    if (worst == nullptr || group.gpu_ns > worst->gpu_ns) worst = &group;
    found.push_back(&group);
    kernels.push_back(group.kernel);
  }
  if (worst == nullptr) return {};
  const devices::Occupancy& occupancy = *worst->occupancy;
  Advice made;
  made.what = fmt::format("let {} hold more warps", list_of(kernels));
  made.where = layers_text(found);
  made.evidence = fmt::format(
      "{} at {:.0f} % of the memory's bandwidth, with {:.0f} of {} warps by {}; {:.0f} hide its "
      "latency",
      time_in(facts, time, "kernel", "kernels"), 100 * memory / time.gpu_ns, warps(occupancy),
      occupancy.max_warps, name(occupancy.limit()), needed);
  made.gain = facts.gain(gain, 0);
  made.show = kernels_where(layers_and_ops(found)) +
              " -c idx,op,params,kernel,time_us,registers,shared,block,grid,roofline_pct";
  return {made};
}

}  // namespace

void register_occupancy(Registry& registry) {
  registry.add(
      {"occupancy", "kernels with too few warps to hide the memory's latency", find_occupancy});
}

}  // namespace prof::rules
