// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/builder/thread_stacks.hpp"

#include <algorithm>

#include "libprof/model/times.hpp"

namespace prof::importers {

RangeId ThreadStacks::new_id(Thread& thread) {
  if (thread.next == thread.last) {
    thread.next = next_block_;
    thread.last = next_block_ += kRangeBlock;
  }
  return thread.next++;
}

const ThreadStacks::Placed& ThreadStacks::place(const Slice& slice) {
  Thread& thread = threads_[slice.thread.value];
  placed_ = {};
  close_ended(thread, slice);
  for (const Open& open : thread.open) {
    if (open.slice.is_call()) {
      ++placed_.depth;
      continue;
    }
    placed_.stack = open.current;
    if (open.slice.op == 0) continue;
    if (!open.slice.is_annotation) placed_.op_around = open.slice.op;
    placed_.annotation_around = open.slice.is_annotation ? open.slice.op : 0;
  }
  if (slice.is_range()) placed_.id = new_id(thread);
  if (slice.is_on_stack()) thread.open.push_back({slice, placed_.id, placed_.id, placed_.stack});
  return placed_;
}

void ThreadStacks::close_ended(Thread& thread, const Slice& slice) {
  std::vector<Open>& open = thread.open;
  const std::int64_t now_ns = slice.start_ns;
  const auto has_ended = [&](const Open& one) { return one.slice.end_ns <= now_ns; };
  const std::int64_t end_ns = slice.is_on_stack() ? slice.end_ns : now_ns;
  // A range that never ended does not end after another one.
  const auto overlaps = [&](const Open& one) {
    return end_ns > one.slice.end_ns && end_ns != Slice::kNeverEnded;
  };
  bool overlapped = false;
  while (!open.empty()) {
    const Open& last = open.back();
    const bool rounded =
        overlaps(last) && difference_of_times(last.slice.end_ns, now_ns) <= kRoundingNs;
    const bool is_beside = overlaps(last) && slice.signature && last.slice.signature &&
                           difference_of_times(end_ns, last.slice.end_ns) > kRoundingNs;
    if (!has_ended(last) && !rounded && !is_beside) break;
    overlapped |= !has_ended(last);
    open.pop_back();
  }
  overlapped |= !open.empty() && overlaps(open.back());
  if (overlapped) ++overlapping_;
  const auto first = std::ranges::find_if(open, has_ended);
  if (first == open.end()) return;
  const auto changed = static_cast<std::size_t>(first - open.begin());
  std::erase_if(open, has_ended);
  reopen(thread, changed);
}

/// Gives the ranges from `first` on, whose stacks have changed below them, aliases.
void ThreadStacks::reopen(Thread& thread, std::size_t first) {
  RangeId below = 0;
  for (std::size_t i = 0; i < thread.open.size(); ++i) {
    Open& open = thread.open[i];
    if (open.id == 0) continue;
    if (i >= first && open.parent != below) {
      open.current = new_id(thread);
      open.parent = below;
      placed_.aliases.push_back({open.slice, open.current, below, open.id});
    }
    below = open.current;
  }
}

}  // namespace prof::importers
