// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule elementwise: chains of elementwise ops and reductions over the same elements, in a layer
// that has no other large work: a norm or an activation in several ops. Fused, by torch.compile or
// by a kernel that the framework has, they read and write the elements once.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

constexpr std::size_t kLeastOps = 3;
/// Ops that a compiler fuses into one kernel: an element of the result takes those of its own
/// place, or of its row. Gathering, scattering, sorting, scanning and joining tensors are none of
/// them.
constexpr std::string_view kFusible[] = {
    "abs",  "add",   "clamp",       "clone",   "contiguous", "copy",    "cos",        "div",
    "eq",   "erf",   "exp",         "expm1",   "ge",         "gelu",    "gt",         "le",
    "log",  "log1p", "lt",          "maximum", "mean",       "minimum", "mul",        "ne",
    "neg",  "pow",   "masked_fill", "relu",    "rsqrt",      "rsub",    "reciprocal", "sigmoid",
    "silu", "sin",   "softplus",    "sqrt",    "square",     "sub",     "sum",        "tanh",
    "to",   "where", "dropout"};
/// Tensors that a fused kernel reads and writes: forward, backward.
constexpr double kForward = 2, kElementwiseBackward = 4;
/// Part of the memory's peak that a fused kernel reaches.
constexpr Efficiency kElementwiseFused = {0.4, 0.9};
constexpr double kElementwiseHost = 0.7;

struct Chain {
  WorkTime time;
  double elements = 0;
  std::set<std::string_view> forward;  // ops
  bool has_backward = false;
  double bytes_each = 2;
  bool has_other = false;  ///< Products, losses, and what is not to be fused.
  std::vector<const WorkGroup*> groups;
};

std::map<std::string_view, Chain> chains_of(const StepFacts& facts) {
  std::map<std::string_view, Chain> layers;
  for (const WorkGroup& group : facts.groups) {
    if (group.direction != Direction::kFprop && group.direction != Direction::kBprop) continue;
    Chain& chain = layers[group.layer];
    chain.elements = std::max(chain.elements, most_elements(group));
    chain.has_other = chain.has_other || group.is_product || is_loss(group) ||
                      std::ranges::find(kFusible, group.op) == std::end(kFusible);
  }
  for (const WorkGroup& group : facts.groups) {
    const auto found = layers.find(group.layer);
    if (found == layers.end() || group.kind != GpuRow::Kind::kKernel) continue;
    Chain& chain = found->second;
    if (group.layer.empty() || chain.has_other || most_elements(group) < chain.elements) continue;
    chain.time.add(group);
    chain.groups.push_back(&group);
    if (group.direction == Direction::kFprop) chain.forward.insert(group.op);
    chain.has_backward = chain.has_backward || group.direction == Direction::kBprop;
    if (group.dtype == DType::kFloat32 && group.op != "to") chain.bytes_each = 4;
  }
  return layers;
}

std::vector<Advice> find_elementwise(const StepFacts& facts) {
  WorkTime found;
  double fused = 0;
  for (const auto& [layer, chain] : chains_of(facts)) {
    if (chain.forward.size() < kLeastOps) continue;
    const double tensors = kForward + (chain.has_backward ? kElementwiseBackward : 0);
    fused += memory_ns(facts, tensors * chain.elements * chain.bytes_each);
    for (const WorkGroup* group : chain.groups) found.add(*group);
  }
  if (fused <= 0) return {};
  Advice made = advice_about(facts, found, "fuse elementwise ops", "kernel over the same elements",
                             "kernels over the same elements");
  made.gain =
      facts.gain(less(facts.with_turnaround(found.gpu_ns, found.count), fused, kElementwiseFused),
                 kElementwiseHost * found.host_ns);
  made.show = kernels_where(layers_and_ops(found.groups));
  return {made};
}

}  // namespace

void register_elementwise(Registry& registry) {
  registry.add({"elementwise", "chains of elementwise ops", find_elementwise});
}

}  // namespace prof::rules
