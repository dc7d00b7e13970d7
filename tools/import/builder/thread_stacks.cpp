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
  const Around around = thread.open.empty() ? Around{} : thread.open.back().inside;
  placed_.stack = around.stack;
  placed_.depth = around.calls;
  placed_.op_around = around.op;
  placed_.annotation_around = around.annotation;
  if (slice.is_range()) placed_.id = new_id(thread);
  if (slice.is_on_stack()) {
    Open& open = thread.open.emplace_back(Open{slice, placed_.id, placed_.id, placed_.stack, {}});
    if (slice.end_ns > around.first_end_ns && around.overlaps == kMaxOverlaps) {
      open.slice.end_ns = around.first_end_ns;
      ++overlapping_too_deep_;
    }
    open.inside = inside_of(open, around);
  }
  return placed_;
}

ThreadStacks::Around ThreadStacks::inside_of(const Open& open, Around around) {
  if (open.slice.end_ns > around.first_end_ns) ++around.overlaps;
  around.first_end_ns = std::min(around.first_end_ns, open.slice.end_ns);
  if (open.slice.is_call()) {
    ++around.calls;
    return around;
  }
  around.stack = open.current;
  if (open.slice.op == 0) return around;
  if (!open.slice.is_annotation) around.op = open.slice.op;
  around.annotation = open.slice.is_annotation ? open.slice.op : 0;
  return around;
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
  if (open.empty() || open.back().inside.first_end_ns > now_ns) return;
  const auto first = std::ranges::partition_point(
      open, [&](const Open& one) { return one.inside.first_end_ns > now_ns; });
  const auto changed = static_cast<std::size_t>(first - open.begin());
  open.erase(std::remove_if(first, open.end(), has_ended), open.end());
  reopen(thread, changed);
}

/// Gives the ranges from `first` on, whose stacks have changed below them, aliases.
void ThreadStacks::reopen(Thread& thread, std::size_t first) {
  Around around = first == 0 ? Around{} : thread.open[first - 1].inside;
  for (std::size_t i = first; i < thread.open.size(); ++i) {
    Open& open = thread.open[i];
    if (open.id != 0 && open.parent != around.stack) {
      open.current = new_id(thread);
      open.parent = around.stack;
      placed_.aliases.push_back({open.slice, open.current, open.parent, open.id});
    }
    around = open.inside = inside_of(open, around);
  }
}

}  // namespace prof::importers
