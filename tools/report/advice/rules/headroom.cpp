// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule headroom: the op with most time above the roofline model in kernels that can be tuned. A
// library's products are tuned; their sizes and types are for other rules. Where kernels are nearer
// to the model, nobody may know faster ones.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Part of the roofline that tuned kernels reach. Kernels that reach the lower one are not advised.
constexpr Efficiency kTuned = {0.4, 0.9};
/// A kernel of a few blocks takes that on its own: tuning does not help, fusing may.
constexpr double kShortestNs = 2'000;

struct OpHeadroom {
  WorkTime time;
  double model_ns = 0, above_ns = 0;
};

std::vector<Advice> find_headroom(const StepFacts& facts) {
  std::map<std::pair<std::string_view, Direction>, OpHeadroom> ops;
  for (const WorkGroup& group : facts.groups) {
    if (group.kind != GpuRow::Kind::kKernel || group.is_collective || group.op.empty()) continue;
    if (group.model_ns + group.above_ns <= 0 || group.is_product) continue;
    OpHeadroom& op = ops[{group.op, group.direction}];
    op.time.add(group);
    op.model_ns += group.model_ns;
    op.above_ns += group.above_ns;
  }
  const auto most = std::ranges::max_element(
      ops, {}, [](const auto& op) { return op.second.model_ns > 0 ? op.second.above_ns : 0; });
  if (most == ops.end() || most->second.model_ns <= 0) return {};
  const auto& [name_of, op] = *most;
  const auto& [op_name, direction] = name_of;
  const double shortest_ns = std::max(0.0, op.time.gpu_ns - kShortestNs * op.time.count);
  Gain tuned = less(op.time.gpu_ns, op.model_ns, kTuned);
  tuned = {std::min(tuned.low_ns, shortest_ns), std::min(tuned.high_ns, shortest_ns)};
  if (tuned.low_ns <= 0) return {};
  const std::string at =
      fmt::format(" at {:.0f} % of the roofline", 100 * op.model_ns / op.time.gpu_ns);
  Advice made = advice_about(facts, op.time, fmt::format("tune {} {}", op_name, name(direction)),
                             "kernel" + at, "kernels" + at);
  made.gain = facts.gain(tuned, 0);
  made.gain.most_ns = op.above_ns;
  made.show = kernels_where(fmt::format("op = '{}' AND dir = '{}'", op_name, name(direction)));
  return {made};
}

}  // namespace

void register_headroom(Registry& registry) {
  registry.add({"headroom", "the op that is farthest from the roofline", find_headroom});
}

}  // namespace prof::rules
