// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges with what is inside them, see range_nesting.hpp.
#include "tools/report/rows/range_nesting.hpp"

#include <algorithm>

#include "libprof/model/times.hpp"
#include "tools/report/rows/qualified_text.hpp"
#include "tools/report/rows/range_name.hpp"

namespace prof::reports {
namespace {

/// The first complete range, after reading on until there is one.
template <typename ReadOne>
NestedRow* next_complete(std::deque<OpenRange>& complete,
                         std::map<std::uint32_t, OpenRanges>& threads, NestedRow& row,
                         const ReadOne& read_one) {
  while (complete.empty()) {
    if (read_one()) continue;
    for (auto& [thread, ranges] : threads) ranges.close_all(complete);
    threads.clear();
    if (complete.empty()) return nullptr;
  }
  row.set(std::move(complete.front()));
  complete.pop_front();
  return &row;
}

}  // namespace

std::string_view NestedRow::name() {
  std::string text = opening().whole_text();
  if (short_ranges_) text = name_of_range(text).name;
  return name_ = qualified_text(trace_.reader, opening().domain, text);
}

std::string_view NestedRow::path() {
  path_.clear();
  for (const RangeId id : range_.path) path_.append(":").append(std::to_string(id));
  return path_;
}

namespace nested_cells {

Cell kind(NestedRow& row) {
  return text(row.opening().kind == RangeRecord::Kind::kStartEnd ? "start_end" : "push_pop");
}

Cell time_ns(NestedRow& row) {
  const RangeRow& range = row.opening();
  if (!range.end_ns) return absent();
  return signed_number(difference_of_times(*range.end_ns, range.start_ns));
}

Cell parent(NestedRow& row) {
  const RangeId parent = row.range().parent();
  return parent != 0 ? number(parent) : absent();
}

Cell level(NestedRow& row) {
  return row.range().path.empty() ? absent() : number(row.range().path.size() - 1);
}

Cell children_ns(NestedRow& row) {
  return row.range().children_known ? signed_number(row.range().children_ns) : absent();
}

Cell gpu_start_ns(NestedRow& row) {
  const auto& start_ns = row.range().gpu_start_ns;
  return start_ns ? row.time(*start_ns) : absent();
}

Cell gpu_time_ns(NestedRow& row) {
  const OpenRange& range = row.range();
  if (!range.gpu_start_ns || !range.gpu_end_ns) return absent();
  return signed_number(difference_of_times(*range.gpu_end_ns, *range.gpu_start_ns));
}

}  // namespace nested_cells

NestedRow* NestedRangesOfTrace::next() {
  return next_complete(complete_, threads_, row_, [this] { return read_one(); });
}

bool NestedRangesOfTrace::read_one() {
  const RangeRef range = trace_.range_after(last_);
  if (!range) return false;
  last_ = range->id;
  const bool is_listed = trace_.captures().lists_range(
      range->start_ns, range->end_ns, range->kind == RangeRecord::Kind::kStartEnd ? 0 : range->id);
  if (range->kind == RangeRecord::Kind::kPushPop && is_listed) {
    threads_[range->thread.value].move_to(stacks_.at(range->id), stacks_, complete_);
  }
  return true;
}

NestedRow* ProjectedRangesOfTrace::next() {
  return next_complete(complete_, threads_, row_, [this] { return read_one(); });
}

bool ProjectedRangesOfTrace::read_one() {
  const GpuRow* const work = work_->next();
  if (work == nullptr) return false;
  if (!work->launched) return true;
  OpenRanges& thread = threads_[work->thread.value];
  thread.move_to(ranges_.of(*work), ranges_.stacks(), complete_);
  const bool has_times = work->duration_ns > 0;
  const std::int64_t end_ns = sum_of_times(work->start_ns, work->duration_ns);
  for (OpenRange& range : thread.open()) {
    ++range.gpu_ops;
    if (!has_times) continue;
    range.gpu_start_ns = std::min(range.gpu_start_ns.value_or(work->start_ns), work->start_ns);
    range.gpu_end_ns = std::max(range.gpu_end_ns.value_or(end_ns), end_ns);
  }
  return true;
}

}  // namespace prof::reports
