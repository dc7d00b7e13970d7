// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Open ranges, see range_stacks.hpp. A parent's id is below its child's (docs/formats/stream.md):
// walks rely on it, so that a damaged trace cannot make them endless.
#include "tools/report/rows/range_stacks.hpp"

#include <algorithm>
#include <utility>

#include "libprof/model/times.hpp"
#include "tools/report/filter/opening.hpp"

namespace prof::reports {

static_assert(kMaxRangesAround == 256, "the lines of kLeftOut");

void RangePath::push(RangeId id) {
  if (ids.size() == kMaxIds) ids.erase(ids.begin());
  ids.push_back(id);
  ++length;
}

RangeRef RangeStack::opening_or_self(const RangeRef& range) const {
  RangeRef opening = opening_of(*trace_, range);
  return opening ? opening : range;
}

void RangeStack::keep(std::size_t count) {
  rows_.resize(count);
  openings_.resize(count);
  closed_up_to_.resize(count);
  closed_.resize(count == 0 ? 0 : closed_up_to_.back());
}

std::size_t RangeStack::move_to(RangeId innermost) {
  new_rows_.clear();
  std::size_t kept = innermost == 0 ? 0 : rows_.size();  // the outer part that both share
  for (RangeId id = innermost; id != 0;) {
    while (kept > 0 && rows_[kept - 1] > id) --kept;
    if (kept > 0 && rows_[kept - 1] == id) break;
    RangeRef range = trace_->range(id);
    const RangeId parent = range ? range->parent : 0;
    if (range) new_rows_.push_back(std::move(range));
    if (parent == 0 || parent >= id) kept = 0;
    id = parent < id ? parent : 0;
  }
  keep(kept);
  for (std::size_t i = new_rows_.size(); i-- > 0;) {
    const RangeRef& opening = openings_.emplace_back(opening_or_self(new_rows_[i]));
    const bool has_room = closed_.size() < kMaxRangesAround;
    if (opening->end_ns && has_room) closed_.push_back(opening);
    left_out_ |= opening->end_ns && !has_room;
    rows_.push_back(new_rows_[i]->id);
    closed_up_to_.push_back(closed_.size());
  }
  new_rows_.clear();
  return kept;
}

RangePath RangeStack::path(const RangeRow& opening) const {
  RangePath path;
  path.ids = {opening.id};
  path.length = 1;
  RangeId below = opening.id;
  for (RangeId id = opening.parent; id != 0 && id < below;) {
    const RangeRef range = trace_->range(id);
    if (!range) break;
    if (path.ids.size() < RangePath::kMaxIds) path.ids.push_back(opening_or_self(range)->id);
    ++path.length;
    below = id;
    id = range->parent;
  }
  std::ranges::reverse(path.ids);
  return path;
}

ProcessRanges::ProcessRanges(TraceReader& trace) : trace_(trace) {
  trace.process_ranges([this](const TextRangeRow& range) {
    if (!range.end_ns || range.end_thread != range.thread) return;
    threads_[range.thread.value].ranges.push_back({range.id, range.start_ns, *range.end_ns});
  });
}

std::span<const RangeRef> ProcessRanges::around(const GpuRow& work) {
  around_.clear();
  if (!work.launched) return around_;
  const auto found = threads_.find(work.thread.value);
  if (found == threads_.end()) return around_;
  OfThread& thread = found->second;
  const std::int64_t start_ns = work.launch_start_ns;
  const std::int64_t end_ns = sum_of_times(start_ns, work.launch_duration_ns);
  std::erase_if(thread.open, [start_ns](const Open& range) { return range.end_ns < start_ns; });
  while (thread.next < thread.ranges.size() && thread.ranges[thread.next].start_ns <= start_ns) {
    const Known& range = thread.ranges[thread.next++];
    if (range.end_ns < start_ns) continue;
    if (thread.open.size() == kMaxRangesAround) {
      left_out_ = true;
    } else if (RangeRef row = trace_.range(range.id)) {
      thread.open.push_back({std::move(row), range.end_ns});
    }
  }
  for (const Open& open : thread.open) {
    if (open.end_ns >= end_ns) around_.push_back(open.range);
  }
  return around_;
}

}  // namespace prof::reports
