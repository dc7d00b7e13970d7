// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/launch_queues.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace prof::whatif {
namespace {

/// As in recordings of an H200 whose queue is full (tests/data/gpt.jsonl.gz, dlrm.jsonl.gz).
constexpr std::uint32_t kUsualLimit = 1023;
/// A deepest queue of fewer launches is no sign of the limit.
constexpr std::uint32_t kLeastLimit = 900;
/// Room is made while a call begins, so a full queue may look that much shorter.
constexpr std::uint32_t kNearLimit = 8;

struct Queue {
  std::vector<std::int64_t> ends_ns;  ///< Of each launch's work, in order.
  std::size_t done = 0;
  std::uint32_t last_call = UINT32_MAX;

  /// Launches that have not ended by then.
  std::uint32_t depth_at(std::int64_t time_ns) {
    while (done < ends_ns.size() && ends_ns[done] <= time_ns) ++done;
    return static_cast<std::uint32_t>(ends_ns.size() - done);
  }
};

}  // namespace

std::vector<std::uint32_t> works_by_call(const RecordedRun& run) {
  std::vector<std::uint32_t> order(run.works.size());
  std::iota(order.begin(), order.end(), 0U);
  // Of calls that begin at the same time, works without a call are behind all.
  const auto place = [&](std::uint32_t at) {
    const RunWork& work = run.works[at];
    const std::int64_t time = work.call ? run.calls[*work.call].start_ns : work.start_ns;
    return std::tuple(time, !work.call, work.call.value_or(0), work.start_ns);
  };
  std::ranges::stable_sort(order, {}, place);
  return order;
}

LaunchQueues::LaunchQueues(const RecordedRun& run, std::span<const std::uint32_t> works_by_call) {
  std::vector<Queue> queues;
  std::vector<std::uint32_t> depths(run.calls.size(), 0);
  std::uint32_t deepest = 0;
  for (const std::uint32_t at : works_by_call) {
    const RunWork& work = run.works[at];
    if (work.stream >= queues.size()) queues.resize(work.stream + std::size_t{1});
    Queue& queue = queues[work.stream];
    if (!work.call) continue;
    if (queue.last_call == *work.call) {
      queue.ends_ns.back() = std::max(queue.ends_ns.back(), work.end_ns);
      continue;
    }
    queue.last_call = *work.call;
    const std::uint32_t depth = queue.depth_at(run.calls[*work.call].start_ns);
    depths[*work.call] = std::max(depths[*work.call], depth);
    deepest = std::max(deepest, depth);
    queue.ends_ns.push_back(work.end_ns);
  }
  limit_ = deepest >= kLeastLimit ? deepest : kUsualLimit;
  if (deepest < kLeastLimit) return;
  is_full_.resize(run.calls.size());
  for (std::size_t i = 0; i < depths.size(); ++i) is_full_[i] = depths[i] + kNearLimit >= limit_;
}

}  // namespace prof::whatif
