// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// HostFilter: whether what a program did on the host is wanted, by the ranges around it (--range)
// and by its step (--step). One trace, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "tools/report/filter/range_matcher.hpp"
#include "tools/report/filter/step_finder.hpp"

namespace prof::reports {

class HostFilter {
 public:
  /// All must outlive it.
  HostFilter(TraceReader& trace, const RowFilter& filter, FilterTally& tally,
             FindLastStep find_last)
      : trace_(trace),
        filter_(filter),
        tally_(tally),
        find_last_(std::move(find_last)),
        ranges_(trace, filter) {}

  /// `innermost` is the innermost range around it, or a range itself; 0: none.
  [[nodiscard]] bool takes(RangeId innermost, std::optional<std::int64_t> time_ns) {
    bool wanted = takes_ranges(innermost, time_ns);
    if (!filter_.step) return wanted;
    if (!steps_) steps_.emplace(trace_, filter_, find_last_);
    wanted &= steps_->takes(innermost, time_ns, tally_.steps);
    return wanted;
  }
  /// By the ranges alone, for what knows its step by other means.
  [[nodiscard]] bool takes_ranges(RangeId innermost, std::optional<std::int64_t> time_ns) {
    if (filter_.ranges.empty()) return true;
    tally_.ranges.asked = true;
    return ranges_.takes(innermost, time_ns, tally_.ranges);
  }

 private:
  TraceReader& trace_;
  const RowFilter& filter_;
  FilterTally& tally_;
  FindLastStep find_last_;
  RangeMatcher ranges_;
  std::optional<StepFinder> steps_;  // once it is asked for
};

}  // namespace prof::reports
