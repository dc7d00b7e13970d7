// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Open ranges, see range_stacks.hpp. A parent's id is below its child's (stream_format.md): walks
// rely on it, so that a damaged trace cannot make them endless.
#include "tools/report/rows/range_stacks.hpp"

#include <algorithm>
#include <utility>

#include "libprof/model/times.hpp"
#include "tools/report/rows/opening.hpp"

namespace prof::reports {

RangeRef RangeStacks::opening_or_self(const RangeRef& range) const {
  RangeRef opening = opening_of(trace_, range);
  return opening ? opening : range;
}

std::span<const RangeRef> RangeStacks::at(RangeId innermost) {
  new_ids_.clear();
  new_openings_.clear();
  std::size_t kept = ids_.size();  // the outer part that both stacks share
  for (RangeId id = innermost; id != 0;) {
    while (kept > 0 && ids_[kept - 1] > id) --kept;
    if (kept > 0 && ids_[kept - 1] == id) break;
    const RangeRef range = trace_.range(id);
    if (!range) {
      kept = 0;
      break;
    }
    new_ids_.push_back(id);
    new_openings_.push_back(opening_or_self(range));
    if (range->parent >= id) {
      kept = 0;
      break;
    }
    id = range->parent;
    if (id == 0) kept = 0;
  }
  if (innermost == 0) kept = 0;
  ids_.resize(kept);
  openings_.resize(kept);
  ids_.insert(ids_.end(), new_ids_.rbegin(), new_ids_.rend());
  openings_.insert(openings_.end(), new_openings_.rbegin(), new_openings_.rend());
  return openings_;
}

std::vector<RangeId> RangeStacks::path(const RangeRow& opening) const {
  std::vector<RangeId> ids = {opening.id};
  RangeId below = opening.id;
  for (RangeId id = opening.parent; id != 0 && id < below;) {
    const RangeRef range = trace_.range(id);
    if (!range) break;
    ids.push_back(opening_or_self(range)->id);
    below = id;
    id = range->parent;
  }
  std::ranges::reverse(ids);
  return ids;
}

WorkRanges::WorkRanges(TraceReader& trace) : trace_(trace), stacks_(trace) {
  trace.process_ranges([this](const TextRangeRow& range) {
    if (!range.end_ns || range.end_thread != range.thread) return;
    process_ranges_[range.thread.value].ranges.push_back({range.id, range.start_ns, *range.end_ns});
  });
}

std::span<const RangeRef> WorkRanges::of(const GpuRow& work) {
  ranges_.clear();
  if (!work.launched) return ranges_;
  const auto stack = stacks_.at(work.stack);
  ranges_.assign(stack.begin(), stack.end());
  const auto found = process_ranges_.find(work.thread.value);
  if (found == process_ranges_.end()) return ranges_;
  OfThread& thread = found->second;
  const std::int64_t start_ns = work.launch_start_ns;
  const std::int64_t end_ns = sum_of_times(start_ns, work.launch_duration_ns);
  while (thread.next < thread.ranges.size() && thread.ranges[thread.next].start_ns <= start_ns) {
    const ProcessRange& range = thread.ranges[thread.next++];
    if (range.end_ns < start_ns) continue;
    if (RangeRef row = trace_.range(range.id))
      thread.open.push_back({std::move(row), range.end_ns});
  }
  std::erase_if(thread.open, [start_ns](const auto& range) { return range.end_ns < start_ns; });
  for (const OpenProcessRange& open : thread.open) {
    if (open.end_ns >= end_ns) ranges_.push_back(open.range);
  }
  return ranges_;
}

}  // namespace prof::reports
