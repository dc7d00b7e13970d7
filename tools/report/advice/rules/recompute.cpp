// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule recompute: forward ops that run again inside the backward pass, as activation checkpointing
// does. With enough memory they need not.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

using WorkOf = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

WorkOf work_of(const WorkGroup& group) {
  return {group.layer, group.op_inner, group.params, group.kernel};
}

std::vector<Advice> find(const StepFacts& facts) {
  std::map<WorkOf, const WorkGroup*> forward;
  for (const WorkGroup& group : facts.groups) {
    if (group.direction == Direction::kFprop) forward.emplace(work_of(group), &group);
  }
  WorkTime time;
  std::vector<const WorkGroup*> found;
  double products = 0;
  for (const WorkGroup& group : facts.groups) {
    if (group.direction != Direction::kBprop || group.op_inner.ends_with("_backward")) continue;
    const auto twin = forward.find(work_of(group));
    if (twin == forward.end()) continue;
    // Of the same op and kernel some may be of the backward pass itself.
    const double again = std::min(1.0, twin->second->count / group.count);
    time.count += again * group.count;
    time.gpu_ns += again * group.gpu_ns;
    time.host_ns += again * group.host_ns;
    if (group.is_product) products += again * group.gpu_ns;
    found.push_back(&group);
  }
  // Elementwise ops may look alike in both directions; products and attention do not.
  if (products <= 0) return {};
  Advice made;
  made.what = "keep activations";
  made.evidence = fmt::format("{:.0f} kernels of the forward pass run again: {:.3g} ms", time.count,
                              time.gpu_ns / 1e6);
  made.where = layers_text(found);
  made.gain = facts.gain({0.75 * time.gpu_ns, 1.05 * time.gpu_ns}, 0.9 * time.host_ns);
  made.show = kernels_where("dir = 'bprop' AND op_inner NOT LIKE '%backward%'");
  return {made};
}

}  // namespace

void register_recompute(Registry& registry) {
  registry.add({"recompute", "forward ops that run again in the backward pass", find});
}

}  // namespace prof::rules
