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

/// GPU work that was launched inside a range.
struct WorkInside {
  std::uint64_t gpu_ops = 0;
  std::optional<std::int64_t> gpu_start_ns, gpu_end_ns;

  void add(const WorkInside& other);
};

struct OpenRange {
  RangeRef opening;
  RangePath path;  ///< Empty for a range of the process.

  std::uint64_t children = 0;
  std::int64_t children_ns = 0;
  bool children_known = true;  ///< The durations of all children are known.

  WorkInside work;     ///< Complete once the range is.
  WorkInside pending;  ///< The part of `work` that the range around it does not know yet.

  void add_child(const RangeRow& child);
  /// 0: none.
  [[nodiscard]] RangeId parent() const {
    return path.ids.size() > 1 ? path.ids[path.ids.size() - 2] : 0;
  }
};

class OpenRanges {
 public:
  explicit OpenRanges(TraceReader& trace) : stack_(trace) {}

  /// Opens those of a stack and of `of_process` that are not open yet, as children of their
  /// parents, after moving those that are no longer open to `closed`, innermost first.
  void move_to(RangeId innermost, std::span<const RangeRef> of_process,
               std::deque<OpenRange>& closed);
  void close_all(std::deque<OpenRange>& closed);
  /// Adds work that was launched inside all open ranges.
  void add(const WorkInside& work);

 private:
  void move_stack(RangeId innermost, std::deque<OpenRange>& closed);
  void move_process(std::span<const RangeRef> now, std::deque<OpenRange>& closed);
  [[nodiscard]] OpenRange entered(const RangeRef& range);
  /// Adds what is inside the ranges from `first` on to those around them.
  void pass_on_from(std::size_t first);

  RangeStack stack_;
  std::vector<OpenRange> open_;  // in the order of the stack
  std::vector<OpenRange> of_process_;
};

}  // namespace prof::reports
