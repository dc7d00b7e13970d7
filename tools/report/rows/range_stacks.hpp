// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The ranges of one trace that were open at some point: RangeStacks follows a thread's stack
// outwards, WorkRanges tells the ranges around a launch. Both look ranges up and keep only what is
// open.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "libprof/store/trace_reader.hpp"

namespace prof::reports {

class RangeStacks {
 public:
  explicit RangeStacks(TraceReader& trace) : trace_(trace) {}

  /// The openings of the push/pop ranges on the stack of `innermost`, outermost first. Valid until
  /// the next call.
  [[nodiscard]] std::span<const RangeRef> at(RangeId innermost);
  /// The ids of the stack on which a range was opened, itself last.
  [[nodiscard]] std::vector<RangeId> path(const RangeRow& opening) const;

 private:
  /// An alias of an opening that the trace lacks stands for itself.
  [[nodiscard]] RangeRef opening_or_self(const RangeRef& range) const;

  TraceReader& trace_;
  // The last stack: ids of its rows, which may be aliases, and their openings.
  std::vector<RangeId> ids_;
  std::vector<RangeRef> openings_;
  std::vector<RangeId> new_ids_;
  std::vector<RangeRef> new_openings_;
};

/// The ranges around launches. Asked in launch order.
class WorkRanges {
 public:
  explicit WorkRanges(TraceReader& trace);

  /// The launching thread's stack, outermost first; then the ranges of the process that were
  /// started and ended on that thread, around the launching call. Empty if nothing is known about
  /// the launch. Valid until the next call.
  [[nodiscard]] std::span<const RangeRef> of(const GpuRow& work);
  [[nodiscard]] RangeStacks& stacks() { return stacks_; }

 private:
  struct ProcessRange {
    RangeId id = 0;
    std::int64_t start_ns = 0, end_ns = 0;
  };
  struct OpenProcessRange {
    RangeRef range;
    std::int64_t end_ns = 0;
  };
  struct OfThread {
    std::vector<ProcessRange> ranges;  // by start
    std::size_t next = 0;              // the first that has not begun
    std::vector<OpenProcessRange> open;
  };

  TraceReader& trace_;
  RangeStacks stacks_;
  std::unordered_map<std::uint32_t, OfThread> process_ranges_;
  std::vector<RangeRef> ranges_;
};

}  // namespace prof::reports
