// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/common_shift.hpp"

#include <algorithm>
#include <cmath>

#include "libprof/base/statistics.hpp"

namespace prof::reports {
namespace {

constexpr double kShortNs = 1000;

using Logs = std::vector<std::optional<double>>;  // of a group, by capture

Logs logs_of(const std::vector<std::span<const double>>& captures) {
  Logs logs;
  for (const auto& steps : captures) logs.push_back(log_median(steps));
  return logs;
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  return median(values);
}

std::optional<double> median_of(const Logs& logs) {
  std::vector<double> known;
  for (const auto& one : logs) {
    if (one) known.push_back(*one);
  }
  return median_of(std::move(known));
}

struct GroupLogs {
  Logs base, fresh;
  double middle = 0;  // of the base
};

/// The median over the groups of how far a capture is from the middle of the base.
std::vector<double> shifts_of(const std::vector<GroupLogs>& groups, Logs GroupLogs::*side) {
  std::vector<double> shifts;
  for (std::size_t i = 0; i < (groups.front().*side).size(); ++i) {
    std::vector<double> apart;
    for (const GroupLogs& group : groups) {
      if (const auto& log = (group.*side)[i]) apart.push_back(*log - group.middle);
    }
    shifts.push_back(median_of(std::move(apart)).value_or(0));
  }
  return shifts;
}

}  // namespace

double CommonShift::beyond(double difference, bool is_collective) const {
  const double clocks = by_clocks.value_or(shift);
  const double none = by_clocks || is_collective ? 0 : shift;
  const double low = std::min({shift, clocks, none}), high = std::max({shift, clocks, none});
  return difference - std::clamp(difference, low, high);
}

std::optional<double> log_median(std::span<const double> steps) {
  if (steps.empty()) return std::nullopt;
  std::vector<double> values(steps.begin(), steps.end());
  return std::log(std::max(1.0, median(values)));
}

CommonShift common_shift(std::span<const MatchedTimes> groups,
                         const std::optional<double>& by_clocks) {
  std::vector<GroupLogs> all, some;
  for (const MatchedTimes& times : groups) {
    GroupLogs group{.base = logs_of(times.base), .fresh = logs_of(times.fresh), .middle = {}};
    const auto middle = median_of(group.base);
    if (!middle || !median_of(group.fresh)) continue;
    group.middle = *middle;
    if (*middle >= std::log(kShortNs)) some.push_back(group);
    all.push_back(std::move(group));
  }
  const std::vector<GroupLogs>& used = some.empty() ? all : some;
  CommonShift common;
  common.by_clocks = by_clocks;
  common.groups = used.size();
  if (used.empty()) {
    common.base.resize(groups.empty() ? 0 : groups.front().base.size());
    common.fresh.resize(groups.empty() ? 0 : groups.front().fresh.size());
    return common;
  }
  common.base = shifts_of(used, &GroupLogs::base);
  common.fresh = shifts_of(used, &GroupLogs::fresh);
  common.shift = *median_of(common.fresh) - *median_of(common.base);
  return common;
}

}  // namespace prof::reports
