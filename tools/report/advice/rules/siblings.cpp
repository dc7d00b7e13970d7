// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule siblings: a layer that takes longer for an op than its siblings do for the same op on the
// same sizes: another kernel, other strides, or other data. Not of collectives, whose time is also
// that of other ranks.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "libprof/base/statistics.hpp"
#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"
#include "tools/report/filter/fold_numbers.hpp"

namespace prof::rules {
namespace {

using namespace reports;

constexpr std::size_t kLeastSiblings = 4;
constexpr double kSiblingsFar = 1.3;  // times their median

struct Sibling {
  double gpu_ns = 0, count = 0;
  const WorkGroup* group = nullptr;
};

/// The properties that siblings share. `Siblings` has the time of each.
using SiblingKey = std::tuple<std::string, std::string_view, Direction, std::string_view>;
using Siblings = std::map<std::string_view, Sibling>;  // by layer

std::map<SiblingKey, Siblings> siblings_of(const StepFacts& facts) {
  std::vector<std::string_view> paths;
  for (const WorkGroup& group : facts.groups) paths.emplace_back(group.layer);
  const std::vector<std::string> folded = fold_numbers(paths);
  std::map<SiblingKey, Siblings> found;
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    const WorkGroup& group = facts.groups[i];
    if (group.params.empty() || group.is_collective || folded[i] == group.layer) continue;
    Sibling& one = found[{folded[i], group.op, group.direction, group.params}][group.layer];
    one.gpu_ns += group.gpu_ns;
    one.count += group.count;
    one.group = &group;
  }
  return found;
}

std::vector<Advice> find_siblings(const StepFacts& facts) {
  double excess = 0;
  std::vector<const WorkGroup*> far;
  for (const auto& [work, siblings] : siblings_of(facts)) {
    if (siblings.size() < kLeastSiblings) continue;
    std::vector<double> times;
    for (const auto& [layer, one] : siblings) times.push_back(one.gpu_ns / one.count);
    const double median = quantile(times, 0.5);
    for (const auto& [layer, one] : siblings) {
      if (one.gpu_ns / one.count <= kSiblingsFar * median) continue;
      excess += one.gpu_ns - median * one.count;
      far.push_back(one.group);
    }
  }
  if (far.empty()) return {};
  Advice made;
  made.what = "check layers unlike their siblings";
  made.where = exact_layers_text(far);
  made.evidence =
      fmt::format("{} ms more than elsewhere for the same ops and sizes", in_ms(excess));
  made.gain = facts.gain({0.6 * excess, excess}, 0);
  made.show = kernels_where(layers_and_ops({far.front()}));
  return {made};
}

}  // namespace

void register_siblings(Registry& registry) {
  registry.add({"siblings", "layers that take longer than their siblings", find_siblings});
}

}  // namespace prof::rules
