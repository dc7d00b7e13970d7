// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule recompute: forward ops that run again inside the backward pass, as activation checkpointing
// does. With enough memory they need not.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tools/report/advice/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

using WorkOf = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

WorkOf work_of(const WorkGroup& group) {
  return {group.layer, group.op_inner, group.params, group.kernel};
}

using Product = std::pair<std::string_view, std::string_view>;  // layer and op

/// Those with an op of the forward pass beside those of the backward pass. If both call the same
/// op, as products without a bias do, those with more than the two products of a backward pass for
/// each of the forward pass.
std::set<Product> products_again(const StepFacts& facts) {
  struct Counts {
    double forward = 0, backward = 0;
    std::set<std::string_view> forward_ops, backward_ops;
  };
  std::map<Product, Counts> counts;
  for (const WorkGroup& group : facts.groups) {
    if (!group.is_product || !group.is_product_kernel || !group.is_main) continue;
    Counts& count = counts[{group.layer, group.op}];
    const bool is_forward = group.direction == Direction::kFprop;
    if (!is_forward && group.direction != Direction::kBprop) continue;
    (is_forward ? count.forward : count.backward) += group.count;
    (is_forward ? count.forward_ops : count.backward_ops).insert(group.op_inner);
  }
  std::set<Product> found;
  for (const auto& [product, count] : counts) {
    const bool has_both = count.backward_ops.size() > count.forward_ops.size() &&
                          std::ranges::includes(count.backward_ops, count.forward_ops);
    const bool has_more = count.forward > 0 && count.backward > 2.5 * count.forward;
    if (!count.forward_ops.empty() && (has_both || has_more)) found.insert(product);
  }
  return found;
}

std::vector<Advice> find(const StepFacts& facts) {
  std::map<WorkOf, const WorkGroup*> forward;
  for (const WorkGroup& group : facts.groups) {
    if (group.direction == Direction::kFprop) forward.emplace(work_of(group), &group);
  }
  WorkTime time;
  std::vector<const WorkGroup*> found;
  const std::set<Product> again_products = products_again(facts);
  if (again_products.empty()) return {};
  for (const WorkGroup& group : facts.groups) {
    if (group.kind != GpuRow::Kind::kKernel || group.direction != Direction::kBprop ||
        group.op_inner.ends_with("_backward"))
      continue;
    const auto twin = forward.find(work_of(group));
    if (twin == forward.end()) continue;
    if (group.is_product && !again_products.contains({group.layer, group.op})) continue;
    // Of the same op and kernel some may be of the backward pass itself.
    const double again = std::min(1.0, twin->second->count / group.count);
    time.count += again * group.count;
    time.gpu_ns += again * group.gpu_ns;
    time.host_ns += again * group.host_ns;
    found.push_back(&group);
  }
  Advice made;
  made.what = "keep activations";
  made.evidence = time_in(facts, time, "kernel of the forward pass that runs again",
                          "kernels of the forward pass that run again");
  made.where = layers_text(found);
  const double again_ns = facts.with_turnaround(time.gpu_ns, time.count);
  made.gain = facts.gain({0.75 * again_ns, 1.05 * again_ns}, 0.9 * time.host_ns);
  made.show = kernels_where("dir = 'bprop' AND " + inner_ops(found));
  return {made};
}

}  // namespace

void register_recompute(Registry& registry) {
  registry.add({"recompute", "forward ops that run again in the backward pass", find});
}

}  // namespace prof::rules
