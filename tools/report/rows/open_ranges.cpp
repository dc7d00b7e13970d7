// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Open ranges of a thread, see open_ranges.hpp.
#include "tools/report/rows/open_ranges.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "libprof/model/times.hpp"

namespace prof::reports {
namespace {

std::ptrdiff_t offset(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

auto is_range(RangeId id) {
  return [id](const auto& range) { return range.opening->id == id; };
}

/// Moves those that are no longer open to `closed`, the last first.
void close_others(std::vector<OpenRange>& open, const std::unordered_set<RangeId>& now,
                  std::deque<OpenRange>& closed) {
  const auto is_open = [&now](const OpenRange& range) { return now.contains(range.opening->id); };
  const auto gone = std::stable_partition(open.begin(), open.end(), is_open);
  std::move(std::make_reverse_iterator(open.end()), std::make_reverse_iterator(gone),
            std::back_inserter(closed));
  open.erase(gone, open.end());
}

}  // namespace

void WorkInside::add(const WorkInside& other) {
  gpu_ops += other.gpu_ops;
  if (!other.gpu_start_ns || !other.gpu_end_ns) return;
  gpu_start_ns = std::min(gpu_start_ns.value_or(*other.gpu_start_ns), *other.gpu_start_ns);
  gpu_end_ns = std::max(gpu_end_ns.value_or(*other.gpu_end_ns), *other.gpu_end_ns);
}

void OpenRange::add_child(const RangeRow& child) {
  ++children;
  if (!child.end_ns) {
    children_known = false;
    return;
  }
  children_ns = sum_of_times(children_ns, difference_of_times(*child.end_ns, child.start_ns));
}

void OpenRanges::move_to(RangeId innermost, std::span<const RangeRef> of_process,
                         std::deque<OpenRange>& closed) {
  move_process(of_process, closed);
  move_stack(innermost, closed);
}

void OpenRanges::move_process(std::span<const RangeRef> now, std::deque<OpenRange>& closed) {
  if (now.empty() && of_process_.empty()) return;
  std::unordered_set<RangeId> ids;
  for (const RangeRef& range : now) ids.insert(range->id);
  close_others(of_process_, ids, closed);
  for (const OpenRange& range : of_process_) ids.erase(range.opening->id);
  for (const RangeRef& range : now) {
    if (ids.contains(range->id)) of_process_.emplace_back().opening = range;
  }
}

void OpenRanges::move_stack(RangeId innermost, std::deque<OpenRange>& closed) {
  const std::size_t same = stack_.move_to(innermost);
  const std::span<const RangeRef> now = stack_.openings().subspan(same);
  pass_on_from(same);
  std::vector<OpenRange> before(std::make_move_iterator(open_.begin() + offset(same)),
                                std::make_move_iterator(open_.end()));
  open_.resize(same);
  // Some may be open still, on another stack: one around them is closed.
  std::unordered_map<RangeId, std::size_t> places;
  if (!now.empty()) {
    for (std::size_t i = 0; i < before.size(); ++i) places.emplace(before[i].opening->id, i);
  }
  for (const RangeRef& range : now) {
    const auto place = places.find(range->id);
    open_.push_back(place != places.end() ? std::move(before[place->second]) : entered(range));
    if (place != places.end()) places.erase(place);
  }
  for (std::size_t i = before.size(); i-- > 0;) {
    if (before[i].opening) closed.push_back(std::move(before[i]));
  }
}

OpenRange OpenRanges::entered(const RangeRef& range) {
  const auto find = [this](RangeId opening) {
    const auto found = std::find_if(open_.rbegin(), open_.rend(), is_range(opening));
    return found != open_.rend() ? &*found : nullptr;
  };
  OpenRange entered;
  entered.opening = range;
  if (const OpenRange* outer = find(range->parent)) {
    entered.path = outer->path;
    entered.path.push(range->id);
  } else {
    entered.path = stack_.path(*range);  // none, or one that an alias stands for
  }
  if (OpenRange* parent = find(entered.parent())) parent->add_child(*range);
  return entered;
}

void OpenRanges::pass_on_from(std::size_t first) {
  for (std::size_t i = open_.size(); i-- > std::max<std::size_t>(first, 1);) {
    const WorkInside inside = std::exchange(open_[i].pending, {});
    open_[i - 1].work.add(inside);
    open_[i - 1].pending.add(inside);
  }
}

void OpenRanges::add(const WorkInside& work) {
  for (OpenRange& range : of_process_) range.work.add(work);
  if (open_.empty()) return;
  open_.back().work.add(work);
  open_.back().pending.add(work);
}

void OpenRanges::close_all(std::deque<OpenRange>& closed) {
  move_process({}, closed);
  move_stack(0, closed);
}

}  // namespace prof::reports
