// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule launch_bound: the GPU waits for launches. A CUDA graph launches a whole step at once; what
// is left is the GPU's own time, a few microseconds between its kernels, and what else the host
// does (docs/advice.md). A graph repeats the same launches without the host, so it is ruled out
// where the host looks at results amid the step, where shapes change, and where memory is
// allocated.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "libprof/base/count_text.hpp"
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Between kernels of a graph, where the step itself does not show it.
constexpr double kBetweenNs = 1'200;
/// Part of the way from launch to launch that stays: the loop, the inputs' copies, the graph's
/// launch.
constexpr Efficiency kWayLeft = {0.03, 0.15};
constexpr double kFewChanging = 0.05;  // of the kernels
constexpr double kMostSteps = 0.5;
/// Between two waits of the host, for which a graph is worth it.
constexpr double kLeastLaunches = 50;

std::string what_rules_out_graphs(const StepFacts& facts, double kernels) {
  const auto whole = [](double number) {
    return grouped(static_cast<std::uint64_t>(std::llround(number)));
  };
  if (facts.graph_kernels > kernels / 2) {
    return fmt::format("graphs launch {} of {} kernels already", whole(facts.graph_kernels),
                       whole(kernels));
  }
  if (facts.waits_amid >= 1 && kernels < kLeastLaunches * (facts.waits_amid + 1)) {
    const auto waits = static_cast<std::uint64_t>(std::llround(facts.waits_amid));
    return "the host waits for data amid a step, " +
           (waits == 1 ? "once" : grouped(waits) + " times") + " (nonzero, item and the like)";
  }
  if (facts.changing_kernels > kFewChanging * kernels) {
    return fmt::format("shapes or ops change from step to step, for {} of {} kernels",
                       whole(facts.changing_kernels), whole(kernels));
  }
  // An allocator that settles allocates in the first of them.
  if (facts.idle_steps(IdleCause::kAllocate) > kMostSteps &&
      facts.step.idle_in_last.contains(IdleCause::kAllocate)) {
    return "steps allocate memory from CUDA";
  }
  return {};
}

bool is_of_torch(const StepFacts& facts) {
  return std::ranges::any_of(
      facts.groups, [](const WorkGroup& group) { return group.op_inner.starts_with("aten::"); });
}

/// Between two kernels that are queued.
double between_ns(const StepFacts& facts) {
  const double stretches = facts.idle_stretches(IdleCause::kTurnaround);
  return stretches > 0 ? facts.idle_ns(IdleCause::kTurnaround) / stretches : kBetweenNs;
}

std::vector<Advice> find_launch_bound(const StepFacts& facts) {
  const double steps = facts.step.count();
  const double launches = static_cast<double>(facts.step.work.launches) / steps;
  if (launches < 2 || facts.host_ns <= facts.gpu_ns) return {};
  const double kernels = static_cast<double>(facts.step.work.kernels) / steps;
  const auto idle_state = static_cast<std::size_t>(DeviceState::kIdle);
  double busy = 0;
  for (std::size_t i = 0; i < kDeviceStates; ++i) {
    if (i != idle_state) busy += static_cast<double>(facts.step.state_ns[i]) / steps;
  }
  const double waits = facts.idle_ns(IdleCause::kLaunch) + facts.idle_ns(IdleCause::kPython);
  // A graph may do without what else the host does between launches, of which nothing is known, and
  // has shorter turnarounds.
  const double unclear = facts.idle_ns(IdleCause::kHost) + facts.idle_ns(IdleCause::kTurnaround);
  const double replayed = busy + kernels * between_ns(facts);
  const double other = facts.host_ns - facts.way_ns;
  const double known = std::max(other - facts.idle_ns(IdleCause::kHost), 0.0);
  const auto less = [&](double other_left, double way_left, double most) {
    const double after = std::max(replayed, other_left + way_left * facts.way_ns);
    return std::clamp(facts.period_ns - after, 0.0, most);
  };
  Advice made;
  made.what = "use CUDA graphs";
  made.evidence = fmt::format(
      "{} ms idle{}: {} launches and the ways between them take the host {} ms, their "
      "work the GPU {} ms",
      in_ms(waits + unclear), is_shorter_unprofiled(facts) ? ", unprofiled" : "",
      grouped(static_cast<std::uint64_t>(launches)), in_ms(facts.way_ns), in_ms(busy));
  if (facts.waits_amid >= 1) made.evidence += "; a graph for each part between waits for data";
  const double most = std::min(waits + unclear, facts.period_ns - busy);
  made.gain = {less(other, kWayLeft.high, waits), less(known, kWayLeft.low, most), most};
  made.show = "launch";
  made.ruled_out = what_rules_out_graphs(facts, kernels);
  if (!made.ruled_out.empty() && facts.graph_kernels <= kernels / 2) {
    made.what = "launch fewer kernels";
    made.evidence +=
        "; CUDA graphs are ruled out, as " + std::exchange(made.ruled_out, {}) +
        (is_of_torch(facts) ? ": torch.compile, a larger batch or a fused optimizer remain"
                            : ": fusing kernels, or more work for each, remains");
    made.is_gain_known = false;
  }
  return {made};
}

}  // namespace

void register_launch_bound(Registry& registry) {
  registry.add({"launch_bound", "the GPU waits for launches", find_launch_bound});
}

}  // namespace prof::rules
