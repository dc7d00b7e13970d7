// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule recompute: forward ops that run again inside the backward pass, as activation checkpointing
// does. With enough memory they need not.
#include <fmt/format.h>

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

/// Those with more than the two products of a backward pass for each of the forward pass. Of
/// attention, with a kernel of the forward pass.
std::set<Product> products_again(const StepFacts& facts) {
  std::map<Product, std::pair<double, double>> counts;
  for (const WorkGroup& group : facts.groups) {
    if (!group.is_product || !group.is_product_kernel || !group.is_main) continue;
    auto& [forward, backward] = counts[{group.layer, group.op}];
    if (group.direction == Direction::kFprop) forward += group.count;
    if (group.direction == Direction::kBprop) backward += group.count;
  }
  std::set<Product> found;
  for (const auto& [product, count] : counts) {
    if (count.first > 0 && count.second > 2.5 * count.first) found.insert(product);
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
    if (group.direction != Direction::kBprop || group.op_inner.ends_with("_backward")) continue;
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
