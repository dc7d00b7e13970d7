// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Open ranges of a thread, see open_ranges.hpp.
#include "tools/report/rows/open_ranges.hpp"

#include <algorithm>
#include <utility>

#include "libprof/model/times.hpp"

namespace prof::reports {
namespace {

bool holds(std::span<const RangeRef> ranges, RangeId id) {
  return std::ranges::any_of(ranges, [id](const RangeRef& range) { return range->id == id; });
}

}  // namespace

void OpenRanges::close_from(std::size_t first, std::span<const RangeRef> still,
                            std::deque<OpenRange>& closed) {
  for (std::size_t i = open_.size(); i-- > first;) {
    if (holds(still, open_[i].opening->id)) continue;
    closed.push_back(std::move(open_[i]));
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

OpenRange* OpenRanges::find(RangeId opening) {
  const auto found = std::ranges::find_if(
      open_, [opening](const OpenRange& range) { return range.opening->id == opening; });
  return found != open_.end() ? &*found : nullptr;
}

void OpenRanges::move_to(std::span<const RangeRef> now, const RangeStacks& stacks,
                         std::deque<OpenRange>& closed) {
  std::size_t same = 0;
  while (same < now.size() && same < open_.size() && now[same]->id == open_[same].opening->id) {
    ++same;
  }
  close_from(same, now.subspan(same), closed);
  for (const RangeRef& range : now.subspan(same)) {
    if (find(range->id) == nullptr) enter(range, stacks);
  }
}

void OpenRanges::enter(const RangeRef& range, const RangeStacks& stacks) {
  OpenRange entered;
  entered.opening = range;
  if (range->kind != RangeRecord::Kind::kStartEnd) {
    if (const OpenRange* outer = find(range->parent)) {
      entered.path = outer->path;
      entered.path.push_back(range->id);
    } else {
      entered.path = stacks.path(*range);  // none, or one that an alias stands for
    }
    if (OpenRange* parent = find(entered.parent())) parent->add_child(*range);
  }
  open_.push_back(std::move(entered));
}

void OpenRange::add_child(const RangeRow& child) {
  ++children;
  if (!child.end_ns) {
    children_known = false;
    return;
  }
  children_ns = sum_of_times(children_ns, difference_of_times(*child.end_ns, child.start_ns));
}

}  // namespace prof::reports
