// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenRanges: the ranges that are open on one thread, with what has been counted under each. A
// range is complete once the thread is seen outside it: nothing is kept of it afterwards, so memory
// does not grow with the trace.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "tools/report/rows/range_stacks.hpp"

namespace prof::reports {

struct OpenRange {
  RangeRef opening;
  std::vector<RangeId> path;  ///< RangeStacks::path(); empty for a range of the process.

  std::uint64_t children = 0;
  std::int64_t children_ns = 0;
  bool children_known = true;  ///< The durations of all children are known.

  std::uint64_t gpu_ops = 0;
  std::optional<std::int64_t> gpu_start_ns, gpu_end_ns;

  void add_child(const RangeRow& child);
  /// 0: none.
  [[nodiscard]] RangeId parent() const { return path.size() > 1 ? path[path.size() - 2] : 0; }
};

class OpenRanges {
 public:
  /// Opens those of `now` that are not open yet, as children of their parents, after moving those
  /// that are no longer open to `closed`, innermost first.
  void move_to(std::span<const RangeRef> now, const RangeStacks& stacks,
               std::deque<OpenRange>& closed);
  void close_all(std::deque<OpenRange>& closed) { close_from(0, {}, closed); }
  [[nodiscard]] std::span<OpenRange> open() { return open_; }

 private:
  void close_from(std::size_t first, std::span<const RangeRef> still,
                  std::deque<OpenRange>& closed);
  void enter(const RangeRef& range, const RangeStacks& stacks);
  [[nodiscard]] OpenRange* find(RangeId opening);

  std::vector<OpenRange> open_;
};

}  // namespace prof::reports
