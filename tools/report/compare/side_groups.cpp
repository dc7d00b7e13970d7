// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/side_groups.hpp"

#include <algorithm>
#include <map>

#include "libprof/base/statistics.hpp"

namespace prof::reports {
namespace {

struct BySideKey {
  bool operator()(const GroupKey* a, const GroupKey* b) const { return *a < *b; }
};

double median_of(const SideGroup& group) {
  std::vector<double> medians;
  for (const auto& steps : group.steps) {
    std::vector<double> times(steps.begin(), steps.end());
    if (!times.empty()) medians.push_back(median(times));
  }
  return median(medians);
}

}  // namespace

SideGroups::SideGroups(const std::vector<const GpuCapture*>& captures) {
  std::vector<SideGroup> all;
  std::map<const GroupKey*, std::size_t, BySideKey> indices;
  for (std::size_t i = 0; i < captures.size(); ++i) {
    for (const StepGroup& group : captures[i]->groups.groups()) {
      const auto [at, is_new] = indices.try_emplace(&group.key, all.size());
      if (is_new) {
        all.push_back({.key = &group.key, .steps = {}, .kernels = {}});
        all.back().steps.resize(captures.size());
      }
      if (!group.is_typical) continue;
      SideGroup& to = all[at->second];
      to.is_collective = group.is_collective;
      if (to.kernels.empty()) to.kernels = group.kernels;
      to.steps[i] = group.time_ns;
    }
  }
  for (SideGroup& group : all) {
    const auto having = static_cast<std::size_t>(
        std::ranges::count_if(group.steps, [](const auto& steps) { return !steps.empty(); }));
    if (having * 2 <= captures.size()) {
      ++rare_;
      continue;
    }
    group.median_ns = median_of(group);
    keys_.push_back(group.key);
    groups_.push_back(std::move(group));
  }
}

}  // namespace prof::reports
