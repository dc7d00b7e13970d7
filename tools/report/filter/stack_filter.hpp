// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StackFilter: whether what a program did at some point of a thread's stack is wanted, by all that
// a RowFilter can say about it: ranges, step, thread, capture, and the layer, op and direction that
// GPU work launched there would have. One trace, one thread.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "analyzers/stacks/stack_walker.hpp"
#include "tools/report/filter/host_filter.hpp"
#include "tools/report/filter/thread_facts.hpp"

namespace prof::reports {

/// A point of a thread's stack.
struct StackPoint {
  RangeId innermost = 0;  ///< The innermost range around it, or a range itself; 0: none.
  std::optional<std::int64_t> time_ns;
  ThreadId thread{};
  std::optional<std::uint32_t> capture{};
};

class StackFilter {
 public:
  /// The columns that it can choose by.
  static constexpr std::array<std::string_view, 5> kWords = {"layer", "op", "dir", "thread", "tid"};

  /// All must outlive it.
  StackFilter(TraceReader& trace, const RowFilter& filter, FilterTally& tally,
              FindLastStep find_last);

  /// Points are to come in the order of their times; begin_pass() begins again.
  [[nodiscard]] bool takes(const StackPoint& point);
  void begin_pass();

 private:
  [[nodiscard]] bool passes(std::size_t index, const StackPoint& point,
                            const OpAttribution* attribution);

  TraceReader& trace_;
  const RowFilter& filter_;
  FilterTally& tally_;
  HostFilter host_;
  ThreadFacts threads_;
  std::vector<std::size_t> columns_;  // places in the filter
  bool needs_attribution_ = false;
  std::optional<StackWalker> stacks_;
};

}  // namespace prof::reports
