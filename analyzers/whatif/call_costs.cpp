// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/call_costs.hpp"

#include <algorithm>

#include "libprof/base/statistics.hpp"
#include "libprof/model/times.hpp"

namespace prof::whatif {
namespace {

constexpr std::int64_t kMostNs = 10'000;
/// A shorter allocation waits for nothing.
constexpr std::int64_t kShortAllocationNs = 20'000;

bool may_wait(CallKind kind) {
  return kind == CallKind::kWaitStream || kind == CallKind::kWaitAll ||
         kind == CallKind::kWaitEvent;
}

}  // namespace

CallCosts::CallCosts(const RecordedRun& run) : is_blocking_(run.calls.size()) {
  std::array<std::vector<std::int64_t>, kKinds> times;
  std::vector<std::int64_t> to_copy;
  kinds_.reserve(run.calls.size());
  for (const RunCall& call : run.calls) {
    kinds_.push_back(call.kind);
    times[static_cast<std::size_t>(call.kind)].push_back(
        difference_of_times(call.end_ns, call.start_ns));
  }
  for (const RunWork& work : run.works) {
    if (!work.call || work.kind != NodeKind::kCopy) continue;
    const RunCall& call = run.calls[*work.call];
    const bool is_in_call = call.kind == CallKind::kCopyInCall || work.is_pageable;
    if (!is_in_call || work.start_ns > call.end_ns) continue;
    is_blocking_[*work.call] = true;
    to_copy.push_back(std::max<std::int64_t>(0, difference_of_times(work.start_ns, call.start_ns)));
  }
  for (std::size_t i = 0; i < kKinds; ++i) {
    const bool is_copy = i == static_cast<std::size_t>(CallKind::kCopy) ||
                         i == static_cast<std::size_t>(CallKind::kCopyInCall);
    std::vector<std::int64_t>& of = is_copy ? to_copy : times[i];
    if (of.empty()) continue;
    least_ns_[i] = std::min(kMostNs, static_cast<std::int64_t>(quantile(of, 0.1)));
  }
  std::vector<std::int64_t>& launches = times[static_cast<std::size_t>(CallKind::kLaunch)];
  if (!launches.empty()) launch_ns_ = static_cast<std::int64_t>(quantile(launches, 0.25));
}

bool CallCosts::waits(std::uint32_t call) const {
  return may_wait(kinds_[call]) || is_blocking_[call];
}

std::int64_t CallCosts::least_ns(std::uint32_t call, std::int64_t duration_ns) const {
  const CallKind kind = kinds_[call];
  const bool may_be_longer =
      waits(call) || (kind == CallKind::kAllocate && duration_ns >= kShortAllocationNs);
  return may_be_longer ? least_ns_[static_cast<std::size_t>(kind)] : duration_ns;
}

}  // namespace prof::whatif
